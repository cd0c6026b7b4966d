package io.tidegate.testkit.fake;

import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
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
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Splits whose items a script spells out, a letter each: {@code r} a row inside a transaction, {@code c} a row that ends
 * one, {@code m} a marker. The upstream prunes what was acknowledged, and opening a split below that is a gap. It outlives
 * pipelines, as a database does. Any thread may ask and script it.
 */
public final class ScriptedSource implements Source {

    /** A finite split ends after its items; another one waits for more. */
    public record Script(String id, List<String> after, String items, boolean finite) {}

    private final Map<String, Script> scripts = new ConcurrentHashMap<>();
    private final List<SplitPlan> plans;
    private final boolean bounded;
    private final Map<String, Integer> pruned = new ConcurrentHashMap<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger prepared = new AtomicInteger();
    private final Set<String> openNow = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable TidegateException> failNext = new AtomicReference<>();

    public ScriptedSource(List<Script> scripts) {
        scripts.forEach(script -> this.scripts.put(script.id(), script));
        plans = scripts.stream()
                .map(script -> new SplitPlan(
                        script.id(), script.after(), script.finite() ? null : new NumberPositions.Place(0), ""))
                .toList();
        bounded = scripts.stream().allMatch(Script::finite);
    }

    /** One log of so many transactions of one row. */
    public static ScriptedSource log(String items) {
        return new ScriptedSource(List.of(new Script("log", List.of(), items, false)));
    }

    /** Appends items to a split. */
    public void append(String id, String items) {
        scripts.computeIfPresent(id, (k, old) -> new Script(old.id(), old.after(), old.items() + items, old.finite()));
    }

    /** The next poll of any reader fails so. */
    public void failNextPoll(TidegateException failure) {
        failNext.set(failure);
    }

    /** How far the upstream was told to prune. */
    public int pruned(String id) {
        return pruned.getOrDefault(id, 0);
    }

    /** Sessions that were opened. */
    public int sessions() {
        return opened.get();
    }

    /** Splits that have a reader now. */
    public Set<String> openNow() {
        return Set.copyOf(openNow);
    }

    @Override
    public Positions positions() {
        return new NumberPositions();
    }

    @Override
    public List<Finding> check(Checkpoint durable) {
        return List.of();
    }

    @Override
    public SourceSession open(SourceContext context) {
        opened.incrementAndGet();
        return new ScriptedSession();
    }

    @Override
    public Removal removal(Checkpoint durable) {
        throw new TidegateException(ErrorCode.INTERNAL, "a scripted source makes nothing that could be removed");
    }

    private void prune(SplitProgress durable) {
        Position position = durable.position();
        if (position != null) {
            pruned.merge(durable.id(), ((NumberPositions.Place) position).value(), Math::max);
        }
    }

    private final class ScriptedSession implements SourceSession {

        @Override
        public Preparation prepare(Checkpoint durable) {
            if (durable.source().isEmpty()) {
                return new Preparation.Write(Replan.record(SourceRecord.EMPTY.with("identity", "scripted")));
            }
            if (durable.splits().isEmpty()) {
                prepared.incrementAndGet();
                return new Preparation.Write(new Replan(durable.source(), Set.of(), plans));
            }
            durable.splits().forEach(state -> prune(state.progress()));
            return new Preparation.Ready(bounded, 2);
        }

        @Override
        public SplitReader open(SplitPlan plan, @Nullable Position from) {
            int start = from == null ? 0 : ((NumberPositions.Place) from).value();
            if (start < pruned(plan.id())) {
                throw new TidegateException(ErrorCode.POSITION_LOST, "I3: pruned beyond " + start);
            }
            openNow.add(plan.id());
            return new ScriptedReader(plan.id(), start, plan.start() != null);
        }

        @Override
        public boolean acknowledge(SplitProgress durable) {
            prune(durable);
            return true;
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }

    private final class ScriptedReader implements SplitReader {

        private final String id;
        private final boolean positioned;
        private final Semaphore aborted = new Semaphore(0);
        private int next;

        ScriptedReader(String id, int start, boolean positioned) {
            this.id = id;
            this.next = start;
            this.positioned = positioned;
        }

        @Override
        public State poll(ChangeOutput out, Duration maxWait) throws InterruptedException {
            TidegateException failure = failNext.getAndSet(null);
            if (failure != null) {
                throw failure;
            }
            Script script = scripts.get(id);
            if (script == null) {
                throw new IllegalStateException("no script for " + id);
            }
            int before = next;
            while (next < script.items().length() && !out.full()) {
                give(script.items().charAt(next), next++, out);
            }
            if (next == script.items().length() && script.finite()) {
                return State.FINISHED;
            }
            if (next == before && aborted.tryAcquire(maxWait.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "aborted");
            }
            return next == script.items().length() ? State.DRY : State.MORE;
        }

        private void give(char item, int number, ChangeOutput out) {
            NumberPositions.Place after = new NumberPositions.Place(number + 1);
            if (item == 'm') {
                out.marker(after);
            } else {
                out.change(Numbered.change(id, number), positioned && item == 'c' ? after : null);
            }
        }

        @Override
        public boolean acknowledge(SplitProgress durable) {
            prune(durable);
            return true;
        }

        @Override
        public void abort() {
            aborted.release();
        }

        @Override
        public void close() {
            openNow.remove(id);
        }
    }
}
