package io.tidegate.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.env.Clock;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.Role;
import io.tidegate.engine.env.Threads;
import io.tidegate.engine.gate.GateLimits;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.testkit.disk.SimulatedDisk;
import io.tidegate.testkit.fake.NumberPositions;
import io.tidegate.testkit.fake.ScriptedSink;
import io.tidegate.testkit.fake.ScriptedSource;
import io.tidegate.testkit.fake.Trouble.Call;
import io.tidegate.testkit.fake.TroubledStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How often a store is written to at most. */
class WriteSpacingTest {

    private static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    @Test
    void isTwentyTimesASecondUnlessAShorterIntervalIsAskedFor() {
        assertThat(limits(PipelineOptions.defaults().checkpointInterval()).writeSpacing())
                .isEqualTo(SPACING_NANOS);
        assertThat(limits(Duration.ofHours(1)).writeSpacing()).isEqualTo(SPACING_NANOS);
        assertThat(limits(Duration.ofMillis(10)).writeSpacing()).isEqualTo(10_000_000);
        assertThat(limits(Duration.ZERO).writeSpacing()).isZero();
    }

    /** Each change asks for a write, and between two steps of the session there is up to half of the spacing. */
    @Test
    void isCountedFromWhenAWriteBeginsHoweverSeldomTheSessionIsStepped() {
        Random random = new Random(1);
        ByHand world = new ByHand();
        ScriptedSource source = ScriptedSource.log("c");
        List<Long> writes = new ArrayList<>();
        SimulatedDisk disk = new SimulatedDisk(random);
        FileStateStore.Options state = new FileStateStore.Options(disk, Path.of("/state"), "p", new NumberPositions());
        StoreRole store = new StoreRole(
                () -> new TroubledStore(FileStateStore.open(state, "test"), (call, what) -> {
                    if (call == Call.WRITE_STATE) {
                        writes.add(world.now);
                    }
                }),
                world);
        SessionParts parts = new SessionParts(
                "p",
                source,
                new ScriptedSink(),
                (change, out) -> {},
                options(1, Duration.ofHours(1), 1),
                new Environment(world, random, world, disk),
                store,
                new SessionParts.Counters());
        Session session = new Session(1, parts, new Mailbox(() -> {}));
        while (session.phase() != SessionPhase.RUNNING) {
            world.stepAll();
            store.step();
            session.step();
        }
        writes.clear();
        for (int i = 0; i < 500; i++) {
            source.append("log", "c");
            world.stepAll();
            world.now += random.nextLong(SPACING_NANOS / 2);
            session.step();
            store.step();
        }
        assertThat(writes).hasSizeGreaterThan(50);
        for (int i = 1; i < writes.size(); i++) {
            assertThat(writes.get(i) - writes.get(i - 1)).isGreaterThanOrEqualTo(SPACING_NANOS);
        }
    }

    private static GateLimits limits(Duration checkpointInterval) {
        PipelineOptions d = PipelineOptions.defaults();
        PipelineOptions options = options(d.batchChanges(), checkpointInterval, d.checkpointChanges());
        return new SessionParts("p", null, null, null, options, null, null, new SessionParts.Counters()).gateLimits();
    }

    private static PipelineOptions options(int batchChanges, Duration checkpointInterval, long checkpointChanges) {
        PipelineOptions d = PipelineOptions.defaults();
        return new PipelineOptions(
                batchChanges,
                d.batchBytes(),
                d.inFlightBatches(),
                d.inFlightBytes(),
                checkpointInterval,
                checkpointChanges,
                d.rejects(),
                d.retryInitial(),
                d.retryMax(),
                d.stopTimeout());
    }

    /** Roles that the test steps, and the time that it says. */
    private static final class ByHand implements Threads, Clock {

        private final Map<String, Role> roles = new LinkedHashMap<>();
        private long now;

        /** Each once, and the sink until it has written all that it has. */
        void stepAll() {
            for (Map.Entry<String, Role> role : List.copyOf(roles.entrySet())) {
                Role.Step step = role.getValue().step();
                while (step == Role.Step.WORKED && role.getKey().endsWith(" sink")) {
                    step = role.getValue().step();
                }
            }
        }

        @Override
        public Running start(String name, Role role) {
            roles.put(name, role);
            return new Running() {
                @Override
                public void wake() {}

                @Override
                public boolean ended() {
                    return false;
                }

                @Override
                public boolean await(long nanos) {
                    return false;
                }
            };
        }

        @Override
        public void pause(long nanos) {}

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }
}
