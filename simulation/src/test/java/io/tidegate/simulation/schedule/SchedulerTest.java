package io.tidegate.simulation.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.env.Role;
import io.tidegate.engine.env.Threads;
import io.tidegate.testkit.property.Choices;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Roles on one scheduler: one step at a time, also where a step waits. */
class SchedulerTest {

    private static final long SECOND = 1_000_000_000L;

    private final Scheduler scheduler = new Scheduler(Choices.seeded(1));
    private final List<String> said = new ArrayList<>();

    private static Role role(long idleNanos, Supplier<Role.Step> step) {
        return new Role() {
            @Override
            public Step step() {
                return step.get();
            }

            @Override
            public long idleNanosMax() {
                return idleNanos;
            }
        };
    }

    private Threads.Running start(Object owner, String name, long idleNanos, Supplier<Role.Step> step) {
        return scheduler.threadsOf(owner).start(name, role(idleNanos, step));
    }

    @Test
    void aStepThatWaitsStandsStillWhileOthersRunAndGoesOnWhenItsConditionHolds() {
        int[] ticks = new int[1];
        start(this, "waits", 0, () -> {
            said.add("waits");
            said.add(scheduler.block(10 * SECOND, () -> ticks[0] == 3) ? "holds after " + ticks[0] : "late");
            scheduler.end(null);
            return Role.Step.ENDED;
        });
        start(this, "ticks", SECOND, () -> {
            ticks[0]++;
            return Role.Step.IDLE;
        });

        assertThat(scheduler.run()).isNull();
        assertThat(said).containsExactly("waits", "holds after 3");
    }

    @Test
    void timePassesOnlyWhenNothingCanRun() {
        long[] at = new long[1];
        start(this, "sleeps", 0, () -> {
            scheduler.block(3_600 * SECOND, () -> false);
            at[0] = scheduler.nanoTime();
            scheduler.end(null);
            return Role.Step.ENDED;
        });

        scheduler.run();
        assertThat(at[0]).isGreaterThanOrEqualTo(3_600 * SECOND);
    }

    @Test
    void aWakeThatComesDuringAStepIsKeptForTheWaitAfterIt() {
        Threads.Running[] self = new Threads.Running[1];
        self[0] = start(this, "woken", 3_600 * SECOND, () -> {
            said.add("step");
            if (said.size() == 2) {
                scheduler.end(null);
            }
            self[0].wake();
            return Role.Step.IDLE;
        });

        scheduler.run();
        assertThat(scheduler.nanoTime()).isLessThan(SECOND);
    }

    @Test
    void aProcessThatIsKilledDiesInTheMiddleOfAStep() {
        Object process = new Object();
        start(process, "dies", 0, () -> {
            try {
                scheduler.block(10 * SECOND, () -> false);
                said.add("lives on");
            } finally {
                said.add("unwound");
            }
            return Role.Step.WORKED;
        });
        start(process, "dies, too", SECOND, () -> {
            said.add("step");
            return Role.Step.IDLE;
        });
        int[] looks = new int[1];
        start(this, "kills", SECOND, () -> {
            looks[0]++;
            if (looks[0] == 2) {
                said.clear();
                scheduler.kill(process);
            }
            if (looks[0] == 9) {
                scheduler.end(null);
            }
            return Role.Step.IDLE;
        });

        scheduler.run();
        assertThat(said).containsExactly("unwound");
    }

    @Test
    void aRoleThatLetsAFailureEscapeEndsTheRun() {
        start(this, "fails", 0, () -> {
            throw new IllegalStateException("escaped");
        });
        assertThat(scheduler.run()).hasMessage("escaped");
    }

    @Test
    void aRunInWhichNothingCanHappenAnyMoreEnds() {
        start(this, "waits for ever", 0, () -> {
            scheduler.block(Long.MAX_VALUE, () -> false);
            return Role.Step.ENDED;
        });
        assertThat(scheduler.run()).hasMessage("nothing can run, and nothing will");
    }
}
