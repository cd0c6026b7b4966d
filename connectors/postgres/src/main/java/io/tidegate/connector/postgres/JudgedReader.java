package io.tidegate.connector.postgres;

import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** A reader whose failures the session judges: what one means depends on the configuration. */
final class JudgedReader implements SplitReader {

    private final SplitReader reader;
    private final UnaryOperator<TidegateException> judge;

    JudgedReader(SplitReader reader, UnaryOperator<TidegateException> judge) {
        this.reader = reader;
        this.judge = judge;
    }

    @Override
    public State poll(ChangeOutput out, Duration maxWait) throws InterruptedException {
        try {
            return reader.poll(out, maxWait);
        } catch (TidegateException e) {
            throw judge.apply(e);
        }
    }

    @Override
    public void idle() throws InterruptedException {
        try {
            reader.idle();
        } catch (TidegateException e) {
            throw judge.apply(e);
        }
    }

    @Override
    public boolean acknowledge(SplitProgress durable) throws InterruptedException {
        try {
            return reader.acknowledge(durable);
        } catch (TidegateException e) {
            throw judge.apply(e);
        }
    }

    @Override
    public void abort() {
        reader.abort();
    }

    @Override
    public void close() {
        reader.close();
    }
}
