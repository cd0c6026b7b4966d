package io.tidegate.engine.session;

import io.tidegate.engine.env.Clock;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.Role;
import io.tidegate.engine.env.Threads;
import io.tidegate.spi.Batch;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.testkit.disk.SimulatedDisk;
import io.tidegate.testkit.fake.NumberPositions;
import io.tidegate.testkit.fake.Numbered;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Roles with as little around them as their hand-overs need. */
final class ScheduledRoles {

    static final SplitPlan PLAN = new SplitPlan("log", List.of(), new NumberPositions.Place(0), "", "l");

    static final int LARGE = 3;

    /** So that no wait is still to come when it is looked at. */
    private static final long LEAP_NANOS = Duration.ofHours(1).toNanos();

    private ScheduledRoles() {}

    /** A clock of which each look is an hour after the one before. */
    static Clock leapingClock() {
        AtomicLong now = new AtomicLong();
        return new Clock() {
            @Override
            public long nanoTime() {
                return now.addAndGet(LEAP_NANOS);
            }

            @Override
            public long epochMillis() {
                return 0;
            }
        };
    }

    static Batch batch(int sequence) {
        return new Batch(0, sequence, "l", List.of(Numbered.change("log", sequence)), 1);
    }

    static SplitProgress progress(int position) {
        return new SplitProgress("log", new NumberPositions.Place(position), false);
    }

    /** Each batch holds one change. */
    static ReaderRole reader(OneSplit source, Mailbox mailbox) {
        ReaderRole.BatchLimits limits = new ReaderRole.BatchLimits(1, 1_000, new AtomicLong(), 1_000);
        return new ReaderRole(0, PLAN, PLAN.start(), source, limits, mailbox);
    }

    /** Of {@link #LARGE} changes each. */
    static ReaderRole largeBatches(OneSplit source, Mailbox mailbox) {
        ReaderRole.BatchLimits limits = new ReaderRole.BatchLimits(LARGE, 100_000, new AtomicLong(), 100_000);
        return new ReaderRole(0, PLAN, PLAN.start(), source, limits, mailbox);
    }

    static SourceRole source(OneSplit source, Mailbox mailbox) {
        Environment environment =
                new Environment(leapingClock(), new Random(1), Threads.system(), new SimulatedDisk(new Random(1)));
        return new SourceRole("orders", source, environment, new SessionParts.Counters(), mailbox);
    }

    static SinkRole sink(Function<SinkContext, SinkSession> open, Mailbox mailbox) {
        Sink sink = new Sink() {
            @Override
            public List<Finding> check() {
                return List.of();
            }

            @Override
            public SinkSession open(SinkContext context) {
                return open.apply(context);
            }
        };
        Backoff waits = new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), new Random(1));
        SinkRole.Parts parts = new SinkRole.Parts(
                "orders",
                sink,
                (change, out) -> {},
                new SimulatedDisk(new Random(1)),
                leapingClock(),
                true,
                waits,
                new OneSplit(),
                new SessionParts.Counters());
        return new SinkRole(parts, mailbox);
    }

    /** A source with one split, its session, and the split's reader; what a scenario needs of it, it overrides. */
    static class OneSplit implements Source, SourceSession, SplitReader {

        @Override
        public Positions positions() {
            return new NumberPositions();
        }

        @Override
        public String system() {
            return "fake";
        }

        @Override
        public List<Finding> check(Checkpoint durable) {
            return List.of();
        }

        @Override
        public SourceSession open(SourceContext context) {
            return this;
        }

        @Override
        public Removal removal(Checkpoint durable) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Preparation prepare(Checkpoint durable) {
            return new Preparation.Ready(false, 1);
        }

        @Override
        public SplitReader open(SplitPlan plan, @Nullable Position from) {
            return this;
        }

        @Override
        public State poll(ChangeOutput out, Duration maxWait) {
            return State.DRY;
        }

        @Override
        public boolean acknowledge(SplitProgress durable) {
            return true;
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }

    /** Steps it until it has ended. */
    static void toItsEnd(Role role) {
        Role.Step step = role.step();
        while (step != Role.Step.ENDED) {
            step = role.step();
        }
    }

    static void steps(Role role, int count) {
        for (int i = 0; i < count; i++) {
            role.step();
        }
    }
}
