package io.tidegate.connector.jdbc;

import io.tidegate.formats.JsonEncoder;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Disk;
import io.tidegate.spi.SinkContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a session reported. */
final class TestContext implements SinkContext {

    final List<Batch> durable = new CopyOnWriteArrayList<>();
    final List<Change> nothingToDo = new CopyOnWriteArrayList<>();
    private final String system;

    TestContext(String system) {
        this.system = system;
    }

    @Override
    public String pipeline() {
        return "shop";
    }

    @Override
    public String sourceSystem() {
        return system;
    }

    @Override
    public Disk disk() {
        throw new UnsupportedOperationException("no files");
    }

    @Override
    public ChangeEncoder encoder() {
        return new JsonEncoder();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long epochMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public void nothingToDo(Change change) {
        nothingToDo.add(change);
    }

    @Override
    public void durable(Batch batch) {
        durable.add(batch);
    }
}
