package io.tidegate.bench.engine;

import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Replan;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitReader;
import io.tidegate.testkit.fake.NumberPositions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Splits that give changes which were made before, as fast as they are taken: each the same ones over and over, in
 * transactions of 500. Complete when all were given. Reading begins when all readers are open and somebody says so.
 */
final class MadeSource implements Source {

    static final int TRANSACTION = 500;

    private final Change[] made;
    private final int splits;
    private final int changesPerSplit;
    private final CountDownLatch opened;
    private final CountDownLatch go;

    /**
     * A source.
     *
     * @param opened counted down by each reader that is open
     * @param go what they then wait for
     */
    MadeSource(Change[] made, int splits, int changesPerSplit, CountDownLatch opened, CountDownLatch go) {
        this.made = made;
        this.splits = splits;
        this.changesPerSplit = changesPerSplit;
        this.opened = opened;
        this.go = go;
    }

    @Override
    public Positions positions() {
        return new NumberPositions();
    }

    @Override
    public String system() {
        return "memory";
    }

    @Override
    public List<Finding> check(Checkpoint durable) {
        return List.of();
    }

    @Override
    public SourceSession open(SourceContext context) {
        return new MadeSession();
    }

    @Override
    public Removal removal(Checkpoint durable) {
        throw new UnsupportedOperationException("there is nothing to remove");
    }

    private final class MadeSession implements SourceSession {
        @Override
        public Preparation prepare(Checkpoint durable) {
            if (!durable.isEmpty()) {
                return new Preparation.Ready(true, splits);
            }
            List<SplitPlan> plans = IntStream.range(0, splits)
                    .mapToObj(split -> new SplitPlan("split" + split, List.of(), new NumberPositions.Place(0), ""))
                    .toList();
            return new Preparation.Write(new Replan(SourceRecord.EMPTY, Set.of(), plans));
        }

        @Override
        public SplitReader open(SplitPlan plan, @Nullable Position from) {
            opened.countDown();
            return new MadeReader(from instanceof NumberPositions.Place place ? place.value() : 0);
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }

    private final class MadeReader implements SplitReader {
        private int given;

        MadeReader(int from) {
            given = from;
        }

        @Override
        public State poll(ChangeOutput out, Duration maxWait) throws InterruptedException {
            if (!go.await(maxWait.toNanos(), TimeUnit.NANOSECONDS)) {
                return State.DRY;
            }
            while (given < changesPerSplit && !out.full()) {
                Change change = made[given % made.length];
                given++;
                boolean ends = given % TRANSACTION == 0 || given == changesPerSplit;
                out.change(change, ends ? new NumberPositions.Place(given) : null);
            }
            return given < changesPerSplit ? State.MORE : State.FINISHED;
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }
}
