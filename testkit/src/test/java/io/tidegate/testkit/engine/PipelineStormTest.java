package io.tidegate.testkit.engine;

import static io.tidegate.testkit.engine.PipelineRig.names;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.fake.ScriptedSource;
import io.tidegate.testkit.fake.ScriptedSource.Script;
import io.tidegate.testkit.fake.Trouble;
import io.tidegate.testkit.fake.Trouble.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Real threads, and failures everywhere: source, sink and store fail, refuse and are late at random, then the storm is over,
 * and everything must be there, in order. A seed fixes what is drawn, not how the threads run.
 */
class PipelineStormTest {

    private static final int SEEDS = 50;
    /** More of them on a machine on which some call failed in none. */
    private static final int SEEDS_MAX = 500;

    private static final Duration STORM = Duration.ofMillis(150);
    private static final int ITEMS = 60;
    private static final int AT_ONCE = 5;

    @Test
    void nothingIsLostOrOutOfOrderWhateverFails() throws Exception {
        Map<Call, AtomicLong> failed = new EnumMap<>(Call.class);
        for (Call call : Call.values()) {
            failed.put(call, new AtomicLong());
        }
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE); // they mostly wait
        try {
            for (int from = 0; from == 0 || (from < SEEDS_MAX && !all(failed)); from += SEEDS) {
                List<Future<Boolean>> storms = new ArrayList<>();
                for (long seed = from; seed < from + SEEDS; seed++) {
                    long number = seed;
                    storms.add(threads.submit(() -> storm(number, failed)));
                }
                for (Future<Boolean> storm : storms) {
                    assertThat(storm.get()).isTrue();
                }
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(all(failed))
                .as("every kind of call failed at least once: " + failed)
                .isTrue();
    }

    private static boolean all(Map<Call, AtomicLong> failed) {
        return failed.entrySet().stream()
                .filter(one -> one.getKey() != Call.CLOSE_READER && one.getKey() != Call.CLOSE_SINK)
                .allMatch(one -> one.getValue().get() > 0);
    }

    private static boolean storm(long seed, Map<Call, AtomicLong> failed) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        try (PipelineRig rig = new PipelineRig()) {
            rig.retryInitial = Duration.ofMillis(1);
            rig.retryMax = Duration.ofMillis(4);
            rig.checkpointInterval = Duration.ofMillis(random.nextInt(4));
            rig.batchChanges = 1 + random.nextInt(5);
            rig.inFlightBatches = 1 + random.nextInt(6);
            if (random.nextBoolean()) {
                rig.sink.refuseInFlush();
            }
            ScriptedSource source = new ScriptedSource(List.of(
                    new Script("a", List.of(), "c".repeat(20), true),
                    new Script("b", List.of("a"), "c".repeat(20), true),
                    new Script("log", List.of("a", "b"), items(random), false),
                    new Script("other", List.of(), items(random), false)));
            source.readersMax(4);
            source.findAtEnd("a", List.of(new Script("late", List.of("a"), items(random), false)));
            source.find(new Script("tended", List.of("b"), "c", true));
            Storm storm = new Storm(seed, seed % 2 == 0 ? 1 : 8, failed);
            source.trouble(storm);
            rig.sink.trouble(storm);
            rig.storeTrouble = storm;
            Pipeline pipeline = rig.start(source);
            for (long left = STORM.toNanos(); left > 0 && pipeline.outcome() == null; left -= 10_000_000) {
                String name = "log:" + random.nextInt(ITEMS);
                rig.sink.refuse(name);
                source.putOffAcknowledgements(random.nextInt(3));
                rig.clock.forward(Duration.ofMillis(400));
                LockSupport.parkNanos(10_000_000);
                rig.sink.take(name);
            }
            storm.over = true;
            Await.until(
                    "all is acknowledged, seed " + seed,
                    PipelineRig.LIMIT,
                    () -> {
                        rig.clock.forward(Duration.ofMillis(100));
                        return pipeline.outcome() != null || acknowledged(source);
                    },
                    () -> pipeline.status().toString());
            assertThat(pipeline.outcome()).as("seed " + seed).isNull();
            pipeline.stop();
            assertThat(pipeline.await(PipelineRig.LIMIT))
                    .as("seed " + seed)
                    .isEqualTo(new Pipeline.Outcome(PipelineStatus.State.STOPPED, null));
            assertThat(source.faults()).as("seed " + seed).isEmpty();
            assertThat(rig.sink.openNow()).as("seed " + seed).isZero();
            check(seed, rig.sink.durable());
            return true;
        }
    }

    private static boolean acknowledged(ScriptedSource source) {
        return source.pruned("log") == ITEMS
                && source.pruned("other") == ITEMS
                && source.pruned("late") == ITEMS
                && source.knowsDone("tended");
    }

    private static String items(SplittableRandom random) {
        StringBuilder items = new StringBuilder();
        for (int i = 1; i < ITEMS; i++) {
            items.append("rrcccm".charAt(random.nextInt(6)));
        }
        String all = items.append('c').toString();
        return all.replace("rm", "rc"); // no marker inside a transaction
    }

    /** Each split's rows: duplicates repeat a suffix, nothing is skipped (I3, I4); chunks before their log (I6). */
    private static void check(long seed, List<String> durable) {
        for (String split : List.of("a", "b", "log", "other", "late")) {
            List<Integer> rows = durable.stream()
                    .filter(name -> name.startsWith(split + ":"))
                    .map(name -> Integer.parseInt(name.substring(split.length() + 1)))
                    .toList();
            int most = -1;
            int before = -1;
            List<Integer> order = rows.stream().sorted().distinct().toList();
            for (int row : rows) {
                int next = order.indexOf(before) + 1;
                boolean follows = next < order.size() && order.get(next) == row;
                assertThat(follows || row <= most)
                        .as("seed " + seed + ": " + split + ":" + row + " after " + before + " in " + rows)
                        .isTrue();
                before = row;
                most = Math.max(most, row);
            }
        }
        assertThat(durable).as("seed " + seed).containsAll(names("a", 0, 20)).containsAll(names("b", 0, 20));
        assertThat(durable).as("seed " + seed).contains("log:" + (ITEMS - 1), "other:" + (ITEMS - 1));
        assertThat(durable.indexOf("b:0")).as("I6, seed " + seed).isGreaterThan(durable.lastIndexOf("a:19"));
        int log = durable.stream()
                .filter(name -> name.startsWith("log:"))
                .mapToInt(durable::indexOf)
                .min()
                .orElse(-1);
        assertThat(log).as("I6, seed " + seed).isGreaterThan(durable.lastIndexOf("b:19"));
    }

    /** Fails, or is late, one time in so many. */
    private static final class Storm implements Trouble {

        private final SplittableRandom random;
        private final int calm;
        private final Map<Call, AtomicLong> failed;
        private volatile boolean over;

        Storm(long seed, int calm, Map<Call, AtomicLong> failed) {
            this.random = new SplittableRandom(seed);
            this.calm = calm;
            this.failed = failed;
        }

        @Override
        public void before(Call call, String what) {
            if (over) {
                return;
            }
            int drawn;
            synchronized (random) {
                drawn = random.nextInt(rarity(call) * calm);
            }
            if (drawn == 1) {
                LockSupport.parkNanos(2_000_000);
            }
            if (drawn == 0) {
                AtomicLong times = failed.get(call);
                if (times != null) {
                    times.incrementAndGet();
                }
                throw new TidegateException(code(call), "a storm at " + call);
            }
        }

        private static int rarity(Call call) {
            return switch (call) {
                case ROW -> 150;
                case POLL, ACCEPT, FLUSH, FLUSHED, CONFIRM -> 20;
                case CONNECT, PREPARE, OPEN_SPLIT, CLOSE_READER, OPEN_SINK, CLOSE_SINK, READ_STATE -> 10;
                case TEND -> 1;
                case WRITE_STATE, STATE_WRITTEN -> 8;
            };
        }

        private static ErrorCode code(Call call) {
            return switch (call) {
                case CONNECT, PREPARE, OPEN_SPLIT, POLL, ROW, CONFIRM, TEND, CLOSE_READER ->
                    ErrorCode.SOURCE_UNAVAILABLE;
                case OPEN_SINK, ACCEPT, FLUSH, FLUSHED, CLOSE_SINK -> ErrorCode.SINK_FAILED;
                case READ_STATE, WRITE_STATE, STATE_WRITTEN -> ErrorCode.STATE_WRITE;
            };
        }
    }
}
