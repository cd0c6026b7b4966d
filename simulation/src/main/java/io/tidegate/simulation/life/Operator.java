package io.tidegate.simulation.life;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.env.Role;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a process running, ends it now and then, and judges how it ends. When the application is done it turns faults off,
 * waits until everything is delivered, stops the process in order, and has the target compared with the source.
 */
public final class Operator implements Role {

    private static final long LOOK_NANOS = Duration.ofMillis(40).toNanos();
    private static final int DEATH_ONE_IN = 30;
    private static final int STOP_ONE_IN = 40;
    private static final int STOP_REFUSING_ONE_IN = 8;
    private static final int RECONFIGURE_ONE_IN = 60;
    /** After the stop timeout: what the engine gives what is under way, and what its thread may be late. */
    private static final long STOP_GRACE_NANOS = Duration.ofMillis(500 + 400).toNanos();

    /** A stop that nothing hinders takes less. */
    private static final int PROMPT_MILLIS = 2_000;

    private static final long CALM_NANOS_MAX = Duration.ofSeconds(60).toNanos();
    private static final long CALM_STEPS_MAX = 60_000;
    private static final int WRITES_IN_CALM = 2;

    private static final Set<ErrorCode> TRIED_AGAIN = Set.of(ErrorCode.STATE_WRITE, ErrorCode.REJECTED);

    private final Stage stage;
    private final World world;
    private final Application application;
    private Phase phase = Phase.FAULTS;
    private int lives;
    private @Nullable Life process;
    private @Nullable Pipeline pipeline;
    private long stopBy = Long.MAX_VALUE;
    private Instant stopAt = Instant.MAX;
    private int struckAtStop;
    /** A change is refused again and again, and nothing else is in the way of a stop. */
    private boolean undisturbed;

    private long calmSince;
    private long calmSteps;

    private enum Phase {
        FAULTS,
        CALM,
        STOPPING
    }

    private Operator(Stage stage) {
        this.stage = stage;
        this.world = new World(stage);
        this.application = new Application(stage, world.upstream);
    }

    /** Sets a run up; the scheduler runs it. */
    public static void begin(Stage stage) {
        Operator operator = new Operator(stage);
        stage.scheduler().threadsOf(operator).start("operator", operator);
        stage.scheduler().threadsOf(operator).start("application", operator.application);
        stage.scheduler().threadsOf(operator).start("server", new Server(stage, operator.world.target));
    }

    @Override
    public Step step() {
        Pipeline running = pipeline;
        if (running == null) {
            start();
            return Step.IDLE;
        }
        Pipeline.Outcome outcome = running.outcome();
        if (outcome != null) {
            checkErrors(running.status());
            ended(outcome);
            return Step.IDLE;
        }
        long now = stage.scheduler().nanoTime();
        stage.check(now <= stopBy, "I12", () -> "the process did not stop within its timeout");
        if (running.status().state() == PipelineStatus.State.STALLED) {
            stage.saw(Seen.STALLED);
        }
        switch (phase) {
            case FAULTS -> interfere(running);
            case CALM -> settle(running);
            case STOPPING -> {}
        }
        return Step.IDLE;
    }

    private void start() {
        lives++;
        stage.saw(Seen.PROCESS_STARTED);
        if (world.checks.durable().isEmpty()) {
            stage.saw(Seen.STARTED_WITHOUT_STATE);
        }
        Life fresh = new Life(stage, this::die);
        process = fresh;
        stopBy = Long.MAX_VALUE;
        stopAt = Instant.MAX;
        stage.say(() -> "process " + lives + " starts");
        pipeline = world.start(fresh);
    }

    private void die(Fault how) {
        Life running = process;
        if (running != null) {
            stage.say(() -> "process " + lives + " ends: " + how);
            process = null;
            pipeline = null;
            world.end(running, how);
        }
    }

    private void interfere(Pipeline running) {
        if (application.done()) {
            calm();
            return;
        }
        if (stage.luck().below(RECONFIGURE_ONE_IN) == 0) {
            world.upstream.reconfigure();
        }
        if (lives > stage.swarm().lives()) {
            return;
        }
        if (stage.faults().strikes(Fault.KILL, DEATH_ONE_IN)) {
            die(Fault.KILL);
        } else if (stage.faults().strikes(Fault.POWER_LOSS, DEATH_ONE_IN)) {
            die(Fault.POWER_LOSS);
        } else if (stopBy == Long.MAX_VALUE
                && stage.faults().strikes(Fault.STOP, world.refusing() ? STOP_REFUSING_ONE_IN : STOP_ONE_IN)) {
            stop(running);
        }
    }

    private void stop(Pipeline running) {
        stage.say(() -> "asks the process to stop");
        struckAtStop = stage.faults().struck();
        undisturbed = world.refusing()
                && !stage.scheduler().anyBlocked()
                && stage.swarm().options().stopTimeout().toMillis() >= PROMPT_MILLIS;
        stopBy = stage.scheduler().nanoTime()
                + stage.swarm().options().stopTimeout().toNanos()
                + STOP_GRACE_NANOS;
        stopAt = Instant.ofEpochMilli(stage.scheduler().epochMillis());
        running.stop();
    }

    private void calm() {
        stage.say(() -> "faults are off");
        stage.faults().off();
        phase = Phase.CALM;
        calmSince = stage.scheduler().nanoTime();
        calmSteps = stage.scheduler().steps();
        for (int i = 0; i < WRITES_IN_CALM; i++) {
            world.upstream.write();
        }
    }

    private void settle(Pipeline running) {
        String behind = world.upstream.behind(world.checks);
        if (behind.isEmpty()) {
            stage.saw(Seen.CONVERGED);
            phase = Phase.STOPPING;
            if (stopBy == Long.MAX_VALUE) {
                stop(running);
            }
            return;
        }
        boolean late = stage.scheduler().nanoTime() - calmSince > CALM_NANOS_MAX
                || stage.scheduler().steps() - calmSteps > CALM_STEPS_MAX;
        stage.check(
                !late,
                "liveness",
                () -> "faults are off, and it does not catch up: " + behind + "; the engine says "
                        + running.status().state() + ", last error "
                        + running.status().lastError());
    }

    private void ended(Pipeline.Outcome outcome) {
        TidegateException failure = outcome.failure();
        stage.say(() -> "process " + lives + " has ended: " + outcome.state()
                + (failure == null ? "" : ", " + failure.describe()));
        if (failure != null) {
            stage.check(
                    failure.code() == ErrorCode.REJECTED,
                    "outcome",
                    () -> "the pipeline failed: " + failure.describe());
            stage.saw(Seen.HALTED);
        } else {
            stage.check(stopBy != Long.MAX_VALUE, "outcome", () -> "the pipeline stopped by itself");
            stage.saw(
                    stage.scheduler().nanoTime() < stopBy - STOP_GRACE_NANOS
                            ? Seen.STOPPED_IN_ORDER
                            : Seen.STOPPED_LATE);
        }
        checkPromptness();
        if (phase == Phase.STOPPING) {
            String behind = world.upstream.behind(world.checks);
            stage.check(behind.isEmpty(), "I12", () -> "after a stop in order: " + behind);
            world.compare();
            stage.scheduler().end(null);
            return;
        }
        die(Fault.STOP);
    }

    /** I12: what fails because of a stop, or while it stops, is no failure; what is tried again meanwhile is. */
    private void checkErrors(PipelineStatus status) {
        for (PipelineStatus.Failure failure : status.errors()) {
            stage.check(
                    TRIED_AGAIN.contains(failure.code()) || !failure.last().isAfter(stopAt),
                    "I12",
                    () -> "a stop is taken for a failure: " + failure.message());
        }
    }

    /** I11: a stop does not wait for a change that is refused. */
    private void checkPromptness() {
        boolean late = stage.scheduler().nanoTime() >= stopBy - STOP_GRACE_NANOS;
        stage.check(
                !late || !undisturbed || stage.faults().struck() > struckAtStop,
                "I11",
                () -> "a stop waits for a change that is refused");
    }

    @Override
    public long idleNanosMax() {
        return LOOK_NANOS;
    }
}
