package io.tidegate.connector.postgres;

import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Column;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Finding;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Position;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Replan;
import io.tidegate.spi.Row;
import io.tidegate.spi.SnapshotProgress;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** Drives sessions of a source as the engine does, on one thread, with a checkpoint in memory. */
final class SourceLoop {

    private static final int STEPS_MAX = 20;

    final Source source;
    final List<String> changes = new ArrayList<>();
    final List<Change> taken = new ArrayList<>();
    final List<String> doing = new CopyOnWriteArrayList<>();
    final Map<String, Double> measures = new ConcurrentHashMap<>();
    volatile List<SnapshotProgress> snapshot = List.of();
    volatile List<Finding> problems = List.of();
    Checkpoint durable = Checkpoint.EMPTY;

    /** What the sessions' clock is ahead of the real one. */
    volatile long skippedNanos;

    SourceLoop(Source source) {
        this.source = source;
    }

    SourceSession open() throws InterruptedException {
        return source.open(new Context());
    }

    /** Makes one step; true: it was a write, which is durable now. */
    boolean step(SourceSession session) throws InterruptedException {
        if (session.prepare(durable) instanceof Preparation.Write write) {
            durable = apply(durable, write.step());
            return true;
        }
        return false;
    }

    void prepare(SourceSession session) throws InterruptedException {
        for (int i = 0; i < STEPS_MAX; i++) {
            if (!step(session)) {
                return;
            }
        }
        throw new AssertionError("not ready after " + STEPS_MAX + " steps: " + durable);
    }

    static Checkpoint apply(Checkpoint before, Replan step) {
        List<SplitState> splits = new ArrayList<>(before.splits());
        splits.removeIf(split -> step.forget().contains(split.plan().id()));
        step.add().forEach(plan -> splits.add(SplitState.fresh(plan)));
        return new Checkpoint(step.source(), splits);
    }

    /** Reads every split of the snapshot to its end. */
    void readSnapshot(SourceSession session) throws InterruptedException {
        for (SplitState split : durable.splits()) {
            if (!split.plan().spec().equals("log") && !split.progress().done()) {
                read(session, split.plan());
            }
        }
    }

    void read(SourceSession session, SplitPlan plan) throws InterruptedException {
        try (SplitReader reader = session.open(plan, null)) {
            SplitReader.State state = SplitReader.State.MORE;
            while (state != SplitReader.State.FINISHED) {
                state = reader.poll(new Output(), Duration.ofSeconds(5));
            }
        }
        SplitProgress done = new SplitProgress(plan.id(), null, true);
        progress(done);
        session.acknowledge(done);
    }

    /** For polling a reader by oneself. */
    ChangeOutput output() {
        return new Output();
    }

    SplitState log() {
        return durable.splits().stream()
                .filter(split -> split.plan().spec().equals("log"))
                .findFirst()
                .orElseThrow();
    }

    /** Reads the log until the changes satisfy the condition; the last marker is durable then. */
    void readLog(SourceSession session, Predicate<List<String>> enough) throws InterruptedException {
        SplitState log = log();
        Output output = new Output();
        try (SplitReader reader = session.open(log.plan(), log.progress().position())) {
            for (int i = 0; i < 100 && (output.open || !enough.test(changes)); i++) {
                reader.poll(output, Duration.ofMillis(100));
            }
            if (output.marker != null) {
                SplitProgress settled = new SplitProgress(log.plan().id(), output.marker, false);
                progress(settled);
                reader.acknowledge(settled);
            }
        }
    }

    void progress(SplitProgress progress) {
        durable = new Checkpoint(
                durable.source(),
                durable.splits().stream()
                        .map(s -> s.plan().id().equals(progress.id()) ? new SplitState(s.plan(), progress) : s)
                        .toList());
    }

    private final class Output implements ChangeOutput {
        private Position marker;
        private boolean open;

        @Override
        public void change(Change change, Position resume) {
            open = true;
            StringBuilder text =
                    new StringBuilder(change.op().code() + " " + change.table().display());
            Row row = change.keyRow();
            List<Column> columns = change.table().columns();
            for (int i = 0; row != null && i < columns.size(); i++) {
                text.append(' ').append(columns.get(i).name()).append('=');
                if (row.state(i) == ColumnState.VALUE) {
                    row.visit(i, new TextVisitor(text));
                } else {
                    text.append(row.state(i));
                }
            }
            changes.add(text.toString());
            taken.add(change);
        }

        @Override
        public void marker(Position position) {
            marker = position;
            open = false;
        }

        @Override
        public void planned(List<SplitPlan> plans) {
            throw new AssertionError("not planned by readers");
        }

        @Override
        public boolean full() {
            return false;
        }
    }

    record TextVisitor(StringBuilder text) implements ValueVisitor {
        private void put(byte[] data, int from, int length) {
            text.append(new String(data, from, length, StandardCharsets.UTF_8));
        }

        @Override
        public void nullElement() {
            text.append("null ");
        }

        @Override
        public void bool(boolean value) {
            text.append(value);
        }

        @Override
        public void int64(long value) {
            text.append(value);
        }

        @Override
        public void decimal(byte[] ascii, int from, int length) {
            put(ascii, from, length);
        }

        @Override
        public void floating(byte[] ascii, int from, int length) {
            put(ascii, from, length);
        }

        @Override
        public void string(byte[] utf8, int from, int length) {
            put(utf8, from, length);
        }

        @Override
        public void bytes(byte[] raw, int from, int length) {
            put(raw, from, length);
        }

        @Override
        public void json(byte[] utf8, int from, int length) {
            put(utf8, from, length);
        }

        @Override
        public void text(LogicalType type, byte[] ascii, int from, int length) {
            put(ascii, from, length);
        }

        @Override
        public void other(byte[] utf8, int from, int length) {
            put(utf8, from, length);
        }

        @Override
        public void beginArray() {
            text.append('[');
        }

        @Override
        public void endArray() {
            text.append(']');
        }
    }

    private final class Context implements SourceContext {
        @Override
        public String pipeline() {
            return "shop";
        }

        @Override
        public long nanoTime() {
            return System.nanoTime() + skippedNanos;
        }

        @Override
        public void pause(Duration time) {
            throw new AssertionError("no pauses expected");
        }

        @Override
        public void measured(String name, double value) {
            measures.put(name, value);
        }

        @Override
        public void snapshot(List<SnapshotProgress> tables) {
            snapshot = tables;
        }

        @Override
        public void problems(List<Finding> standing) {
            problems = standing;
        }

        @Override
        public void doing(String what) {
            doing.add(what);
        }
    }
}
