package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateDigest;
import io.tidegate.engine.gate.GateEffects;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.testkit.explore.Echoes.DeadHandOver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything around one gate, as one state that can be copied: batchers, an upstream that prunes what was acknowledged, a
 * sink, a store whose failed writes may have landed, and dead sessions that still speak. {@link #choices} says what can
 * happen, {@link #apply} makes it happen and checks the invariants; {@link #violation} keeps the first one that broke.
 */
final class World implements GateEffects {

    static final String FAULT = "a reader, a hand-over or the sink failed";

    final Configuration configuration;
    final Ground ground;
    Echoes echoes = Echoes.NONE;

    @Nullable
    Run run;

    @Nullable
    StoreWrite writing;

    @Nullable
    String violation;

    int session;
    long now;

    World(Configuration configuration) {
        this.configuration = configuration;
        ground = new Ground(configuration);
    }

    World(World other) {
        configuration = other.configuration;
        ground = new Ground(other.ground);
        echoes = other.echoes;
        run = other.run == null ? null : new Run(other.run, this);
        writing = other.writing;
        violation = other.violation;
        session = other.session;
        now = other.now;
    }

    void choices(Choices choices) {
        choices.clear();
        Run live = run;
        if (live != null) {
            live.choices(ground, choices);
        } else if (writing == null && echoes.handOversEnded()) {
            boolean prepare = configuration.has(Trait.PREPARED)
                    && !ground.knows(configuration.birth)
                    && !(!configuration.replan.isEmpty() && ground.knows(configuration.replan));
            choices.add(prepare ? Step.PREPARE : Step.START);
        }
        if (writing != null) {
            boolean landing = configuration.has(Trait.TWO_STEPS) && !writing.landed();
            choices.add(landing ? Step.STORE_LANDED : Step.STORE_OK);
        }
        for (int i = 0; i < echoes.handOvers.size(); i++) {
            if (!echoes.handOvers.get(i).ended()) {
                choices.add(Step.LATE_LANDING.at(i));
            }
        }
        choices.endProgress();
        faults(live, choices);
    }

    private void faults(@Nullable Run live, Choices choices) {
        if (live != null && configuration.has(Trait.FAILURES)) {
            choices.add(Step.FAIL);
        }
        if (live != null && configuration.has(Trait.STOPS)) {
            choices.add(Step.STOP);
        }
        StoreWrite write = writing;
        boolean landing = write != null && !write.landed(); // it may land, or be lost
        if (write != null && configuration.has(Trait.STORE_FAILURES)) {
            choices.add(Step.STORE_FAILED_LANDED);
            if (landing) {
                choices.add(Step.STORE_FAILED_LOST);
            }
        }
        if (configuration.has(Trait.CRASHES) && (live != null || write != null || echoes.speak())) {
            choices.add(Step.CRASH);
            if (landing) {
                choices.add(Step.CRASH_WROTE);
            }
        }
        if (live == null && writing == null && echoes.handOversEnded() && ground.replaceable()) {
            choices.add(Step.REPLAN);
        }
        echoes.choices(configuration, live != null, choices);
    }

    void apply(int step) {
        try {
            applyUnguarded(step);
        } catch (RuntimeException e) { // the core must not throw, whatever it is told
            report("exception: " + e);
        }
    }

    private void applyUnguarded(int step) {
        int index = Step.split(step);
        Step kind = Step.kind(step);
        switch (kind) {
            case PREPARE -> prepare(configuration.birth, false);
            case REPLAN -> prepare(configuration.replan, true);
            case START -> start();
            case STORE_LANDED -> land();
            case STORE_OK -> endWriting(true, true);
            case STORE_FAILED_LANDED -> endWriting(true, false);
            case STORE_FAILED_LOST -> endWriting(false, false);
            case CRASH -> crash(false);
            case CRASH_WROTE -> crash(true);
            case LATE_LANDING -> landLate(index);
            case LATE_CLOSE -> echoes = echoes.closed(index);
            case LATE_SETTLE, LATE_BATCH, LATE_MARKER, LATE_FINISH, LATE_FAIL -> speak(kind, index);
            case TICK -> {
                now = Math.max(now, live().gate.deadline());
                live().gate.tick(now);
            }
            case PLAN, READ, CUT, FINISH, SINK_DURABLE, SETTLE, ACKNOWLEDGE_TAKEN, ACKNOWLEDGE, FAIL, STOP ->
                live().apply(step, this);
        }
        Run live = run;
        if (live != null && live.ended != null) {
            report(Checks.end(this, live, live.ended));
            bury(live);
        }
        report(Checks.everyState(this));
    }

    /** Keeps the first thing that went wrong. */
    void report(@Nullable String what) {
        if (violation == null) {
            violation = what;
        }
    }

    long digest() {
        Fold fold = new Fold();
        GateDigest digest = new GateDigest(fold, Place::number);
        ground.digest(fold, digest);
        echoes.digest(fold);
        StoreWrite write = writing;
        if (write != null) {
            fold.accept((write.awaited() ? 1 : 2) + (write.replan() ? 4 : 0) + (write.landed() ? 8 : 0));
            for (SplitPlan plan : write.write().planned()) {
                fold.accept(configuration.index(plan.id()));
            }
            for (SplitProgress progress : write.write().progress()) {
                fold.accept(configuration.index(progress.id()));
                digest.add(progress);
            }
        }
        fold.accept(write == null ? 0 : 1);
        Run live = run;
        if (live != null) {
            live.digest(fold, digest);
        }
        return fold.value();
    }

    private Run live() {
        Run live = run;
        if (live == null) {
            throw new IllegalStateException("no session is open");
        }
        return live;
    }

    private void prepare(List<SplitPlan> plans, boolean replan) {
        writing = new StoreWrite(new GateWrite(plans, List.of()), false, replan);
    }

    private void start() {
        session++;
        for (int i = 0; i < configuration.size(); i++) { // opening with the checkpoint acknowledges all of it (I9)
            SplitProgress stored = ground.stored[i];
            if (stored != null) {
                ground.prune(i, stored);
            }
        }
        Gate gate = new Gate(session, configuration.limits, Place.ORDER, ground.checkpoint(), now, this);
        run = new Run(configuration, gate, session, ground);
        gate.start();
    }

    private void endWriting(boolean landed, boolean reported) {
        StoreWrite write = writing;
        if (write == null) {
            throw new IllegalStateException("no write is under way");
        }
        if (landed) {
            land();
        }
        writing = null;
        if (!write.awaited()) {
            return;
        }
        Run live = live();
        live.confirming = reported;
        if (reported) {
            live.gate.wrote(session);
        } else {
            live.gate.storeFailed(session);
        }
        live.confirming = false;
    }

    private void land() {
        StoreWrite write = writing;
        if (write != null && !write.landed()) {
            report(ground.land(write));
            writing = write.land();
        }
    }

    private void crash(boolean landed) {
        if (landed) {
            land();
        }
        writing = null;
        run = null;
        echoes = Echoes.NONE;
    }

    private void bury(Run dead) {
        StoreWrite write = writing;
        if (write != null) {
            writing = write.unawaited();
        }
        echoes = configuration.has(Trait.DEAD_SESSIONS_SPEAK) ? Echoes.of(session, dead.readings) : Echoes.NONE;
        run = null;
    }

    private void landLate(int index) {
        DeadHandOver batch = echoes.handOvers.get(index);
        echoes = echoes.landed(index);
        if (run != null) {
            report(Checks.lateLanding(configuration, run, batch));
        }
        ground.deliver(batch.split(), configuration.script(batch.split()).rows(batch.from(), batch.to()));
    }

    private void speak(Step step, int index) {
        Run live = live();
        long before = gateDigest(live.gate);
        if (echoes.speak(step, index, live.gate)) {
            report("I2: " + step + " was accepted");
        }
        if (gateDigest(live.gate) != before) {
            report("I2: " + step + " changed the gate of the session after");
        }
    }

    private static long gateDigest(Gate gate) {
        Fold fold = new Fold();
        new GateDigest(fold, Place::number).add(gate);
        return fold.value();
    }

    @Override
    public void open(int handle, SplitPlan plan, @Nullable Position from) {
        Run live = live();
        int split = configuration.index(plan.id());
        report(Checks.opening(this, live, split, from));
        live.readings[split] = new Reading(configuration.script(split), handle, Place.items(from));
    }

    @Override
    public void persist(GateWrite write) {
        if (writing != null) {
            report("I8: two writes are under way");
        }
        if (write.planned().isEmpty() && write.progress().isEmpty()) {
            report("I8: a write of nothing");
        }
        if (Ground.part(write, configuration.birth) || Ground.part(write, configuration.later)) {
            report("I17: a part of a plan is written");
        }
        writing = new StoreWrite(write, true, false);
    }

    @Override
    public void acknowledge(int handle, SplitProgress durable) {
        Run live = live();
        int split = configuration.index(durable.id());
        if (!live.confirming) {
            report("I1: " + durable + " was acknowledged before the store confirmed it");
        }
        if (!durable.equals(ground.stored[split])) {
            report("I1: " + durable + " was acknowledged, the store holds " + ground.stored[split]);
        }
        Reading reading = live.readings[split];
        if (reading == null) {
            report("I1: " + durable + " was acknowledged, nothing was read");
            return;
        }
        reading.due = durable;
    }

    @Override
    public void end(GateEnd how, String why) {
        Run live = live();
        if (live.ended != null) {
            report("I12: a session ended twice");
        }
        if (why.equals(Echoes.FAULT)) {
            report("I2: LATE_FAIL ended the session after");
        }
        if (how == GateEnd.FAILED && !why.equals(FAULT)) {
            report("the gate saw: " + why);
        }
        live.ended = how;
    }
}
