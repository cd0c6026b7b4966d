package io.tidegate.server.hold;

import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Place;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Replan;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes {@link HoldPoint#PREPARED} and {@link HoldPoint#ACKNOWLEDGING}. */
record HeldSource(Source inner, Hold hold) implements Source {

    @Override
    public Positions positions() {
        return inner.positions();
    }

    @Override
    public String system() {
        return inner.system();
    }

    @Override
    public boolean readsFrom(Place place) {
        return inner.readsFrom(place);
    }

    @Override
    public boolean captures(String namespace, String table) {
        return inner.captures(namespace, table);
    }

    @Override
    public List<Finding> check(Checkpoint durable) {
        return inner.check(durable);
    }

    @Override
    public SourceSession open(SourceContext context) throws InterruptedException {
        return new HeldSession(inner.open(context), hold);
    }

    @Override
    public Replan resnapshot(Checkpoint durable, List<String> tables) {
        return inner.resnapshot(durable, tables);
    }

    @Override
    public Removal removal(Checkpoint durable) {
        return inner.removal(durable);
    }

    private record HeldSession(SourceSession inner, Hold hold) implements SourceSession {

        @Override
        public Preparation prepare(Checkpoint durable) throws InterruptedException {
            Preparation done = inner.prepare(durable);
            hold.pass(HoldPoint.PREPARED, 1);
            return done;
        }

        @Override
        public SplitReader open(SplitPlan plan, @Nullable Position from) throws InterruptedException {
            return new HeldReader(inner.open(plan, from), hold);
        }

        @Override
        public List<SplitPlan> tend() throws InterruptedException {
            return inner.tend();
        }

        @Override
        public boolean acknowledge(SplitProgress durable) throws InterruptedException {
            hold.pass(HoldPoint.ACKNOWLEDGING, 1);
            return inner.acknowledge(durable);
        }

        @Override
        public void abort() {
            inner.abort();
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    private record HeldReader(SplitReader inner, Hold hold) implements SplitReader {

        @Override
        public State poll(ChangeOutput out, Duration maxWait) throws InterruptedException {
            return inner.poll(out, maxWait);
        }

        @Override
        public void idle() throws InterruptedException {
            inner.idle();
        }

        @Override
        public boolean acknowledge(SplitProgress durable) throws InterruptedException {
            hold.pass(HoldPoint.ACKNOWLEDGING, 1);
            return inner.acknowledge(durable);
        }

        @Override
        public void abort() {
            inner.abort();
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
