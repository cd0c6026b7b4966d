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
import io.tidegate.testkit.fake.Trouble.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Splits whose items a script spells out, a letter each: {@code r} a row inside a transaction, {@code c} a row that ends
 * one, {@code b} one that ends one and counts as {@link #BIG} bytes, {@code m} a marker. The upstream prunes what was
 * acknowledged, and opening a split below that is a gap. It outlives pipelines, as a database does. Any thread may ask and
 * script it.
 */
public final class ScriptedSource implements Source {

    /** What a big row counts as. */
    public static final int BIG = 100 << 20;

    /** A finite split ends after its items; another one waits for more. */
    public record Script(String id, List<String> after, String items, boolean finite) {}

    private final Map<String, Script> scripts = new ConcurrentHashMap<>();
    private final List<SplitPlan> plans;
    private final boolean bounded;
    private final Map<String, Integer> pruned = new ConcurrentHashMap<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final Map<String, ScriptedReader> readers = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable TidegateException> failNext = new AtomicReference<>();
    private final ConcurrentLinkedQueue<Script> toFind = new ConcurrentLinkedQueue<>();
    private final Map<String, List<Script>> foundAtEnd = new ConcurrentHashMap<>();
    private final Set<String> done = ConcurrentHashMap.newKeySet();
    private final List<String> faults = new ArrayList<>();
    private final AtomicInteger acknowledgementsPutOff = new AtomicInteger();
    private final AtomicInteger readersMost = new AtomicInteger();
    private volatile int readersMax = 2;
    private volatile boolean pollsBlock;
    private volatile boolean blocked;
    private volatile boolean comparisonsFail;
    private volatile Trouble trouble = Trouble.NONE;
    private volatile @Nullable SourceContext context;

    public ScriptedSource(List<Script> scripts) {
        scripts.forEach(script -> this.scripts.put(script.id(), script));
        plans = scripts.stream().map(ScriptedSource::plan).toList();
        bounded = scripts.stream().allMatch(Script::finite);
    }

    /** One log of so many transactions of one row. */
    public static ScriptedSource log(String items) {
        return new ScriptedSource(List.of(new Script("log", List.of(), items, false)));
    }

    private static SplitPlan plan(Script script) {
        return new SplitPlan(script.id(), script.after(), script.finite() ? null : new NumberPositions.Place(0), "");
    }

    /** Appends items to a split. */
    public void append(String id, String items) {
        scripts.computeIfPresent(id, (k, old) -> new Script(old.id(), old.after(), old.items() + items, old.finite()));
        ScriptedReader reader = readers.get(id);
        if (reader != null) {
            reader.moved.release();
        }
    }

    /** Each session finds this split when it is looked after. */
    public void find(Script script) {
        scripts.put(script.id(), script);
        toFind.add(script);
    }

    /** The reader of a finite split finds these when it has given all the items, before it finishes. */
    public void findAtEnd(String id, List<Script> found) {
        found.forEach(script -> scripts.put(script.id(), script));
        foundAtEnd.put(id, found);
    }

    public void trouble(Trouble trouble) {
        this.trouble = trouble;
    }

    public void readersMax(int max) {
        readersMax = max;
    }

    /** The next acknowledgements are answered with "ask again". */
    public void putOffAcknowledgements(int times) {
        acknowledgementsPutOff.set(times);
    }

    /** Acknowledgements that will still be put off. */
    public int acknowledgementsPutOff() {
        return acknowledgementsPutOff.get();
    }

    /** From now on a poll that finds nothing ends by an abort only, as with a driver that knows no time limit. */
    public void blockPolls() {
        pollsBlock = true;
    }

    /** Whether a poll is blocked for good. */
    public boolean blocked() {
        return blocked;
    }

    /** From now on to compare positions is a fault. */
    public void failComparisons() {
        comparisonsFail = true;
    }

    /** The next poll of any reader fails so. */
    public void failNextPoll(TidegateException failure) {
        failNext.set(failure);
    }

    /** How far the upstream was told to prune. */
    public int pruned(String id) {
        return pruned.getOrDefault(id, 0);
    }

    /** Whether the upstream was told that the split is done. */
    public boolean knowsDone(String id) {
        return done.contains(id);
    }

    /** Sessions that were opened. */
    public int sessions() {
        return opened.get();
    }

    /** What the newest session was opened with: to publish measures and the like. */
    public SourceContext context() {
        return Objects.requireNonNull(context, "no session was opened");
    }

    /** Splits that have a reader now. */
    public Set<String> openNow() {
        return Set.copyOf(readers.keySet());
    }

    /** The most readers there were at once. */
    public int readersMost() {
        return readersMost.get();
    }

    /** What the engine did against the contract. */
    public List<String> faults() {
        synchronized (faults) {
            return List.copyOf(faults);
        }
    }

    private void fault(String what) {
        synchronized (faults) {
            faults.add(what);
        }
    }

    @Override
    public String system() {
        return "scripted";
    }

    @Override
    public Positions positions() {
        Positions numbers = new NumberPositions();
        return new Positions() {
            @Override
            public String print(Position position) {
                return numbers.print(position);
            }

            @Override
            public Position parse(String text) {
                return numbers.parse(text);
            }

            @Override
            public OptionalDouble number(Position position) {
                return numbers.number(position);
            }

            @Override
            public int compare(Position a, Position b) {
                if (comparisonsFail) {
                    throw new IllegalStateException("positions cannot be compared");
                }
                return numbers.compare(a, b);
            }
        };
    }

    @Override
    public List<Finding> check(Checkpoint durable) {
        return List.of();
    }

    @Override
    public SourceSession open(SourceContext context) throws InterruptedException {
        opened.incrementAndGet();
        this.context = context;
        trouble.before(Call.CONNECT, "");
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
        if (durable.done()) {
            done.add(durable.id());
        }
    }

    private boolean confirm(SplitProgress durable) throws InterruptedException {
        trouble.before(Call.CONFIRM, durable.id());
        if (acknowledgementsPutOff.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            return false;
        }
        prune(durable);
        return true;
    }

    private final class ScriptedSession implements SourceSession {

        private final AtomicInteger readersOpen = new AtomicInteger();
        private final Set<Script> found = new HashSet<>();
        private volatile boolean closed;

        @Override
        public Preparation prepare(Checkpoint durable) throws InterruptedException {
            trouble.before(Call.PREPARE, "");
            if (durable.source().isEmpty()) {
                return new Preparation.Write(Replan.record(SourceRecord.EMPTY.with("identity", "scripted")));
            }
            if (durable.splits().isEmpty()) {
                return new Preparation.Write(new Replan(durable.source(), Set.of(), plans));
            }
            durable.splits().forEach(state -> prune(state.progress()));
            return new Preparation.Ready(bounded, readersMax);
        }

        @Override
        public SplitReader open(SplitPlan plan, @Nullable Position from) throws InterruptedException {
            trouble.before(Call.OPEN_SPLIT, plan.id());
            int start = from == null ? 0 : ((NumberPositions.Place) from).value();
            if (start < pruned(plan.id())) {
                throw new TidegateException(ErrorCode.POSITION_LOST, "I3: pruned beyond " + start);
            }
            if (closed) {
                fault("a reader was opened after its session was closed");
            }
            ScriptedReader reader = new ScriptedReader(plan.id(), start, plan.start() != null, readersOpen);
            if (readers.put(plan.id(), reader) != null) {
                fault("I2: two readers of " + plan.id());
            }
            readersMost.accumulateAndGet(readersOpen.incrementAndGet(), Math::max);
            return reader;
        }

        @Override
        public List<SplitPlan> tend() throws InterruptedException {
            trouble.before(Call.TEND, "");
            return toFind.stream().filter(found::add).map(ScriptedSource::plan).toList();
        }

        @Override
        public boolean acknowledge(SplitProgress durable) throws InterruptedException {
            return confirm(durable);
        }

        @Override
        public void abort() {}

        @Override
        public void close() {
            closed = true;
            if (readersOpen.get() != 0) {
                fault("a session was closed before its readers");
            }
        }
    }

    private final class ScriptedReader implements SplitReader {

        private final String id;
        private final boolean positioned;
        private final AtomicInteger readersOpen;
        private final Semaphore moved = new Semaphore(0);
        private final Thread owner = Thread.currentThread();
        private volatile boolean aborted;
        private int next;

        ScriptedReader(String id, int start, boolean positioned, AtomicInteger readersOpen) {
            this.id = id;
            this.next = start;
            this.positioned = positioned;
            this.readersOpen = readersOpen;
        }

        private void owned() {
            if (Thread.currentThread() != owner) {
                fault("a reader was called by two threads");
            }
        }

        @Override
        public State poll(ChangeOutput out, Duration maxWait) throws InterruptedException {
            owned();
            trouble.before(Call.POLL, id);
            TidegateException failure = failNext.getAndSet(null);
            if (failure != null) {
                throw failure;
            }
            int before = next;
            Script script = give(out);
            if (next == before && !(script.finite() && next == script.items().length())) {
                if (await(maxWait)) {
                    moved.drainPermits();
                    if (aborted) {
                        throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "aborted");
                    }
                    script = give(out);
                }
            }
            if (next < script.items().length()) {
                return State.MORE;
            }
            if (!script.finite()) {
                return State.DRY;
            }
            List<Script> found = foundAtEnd.get(id);
            if (found != null) {
                out.planned(found.stream().map(ScriptedSource::plan).toList());
            }
            return State.FINISHED;
        }

        private boolean await(Duration maxWait) throws InterruptedException {
            if (pollsBlock) {
                blocked = true;
                moved.acquire();
                return true;
            }
            return moved.tryAcquire(maxWait.toNanos(), TimeUnit.NANOSECONDS);
        }

        private Script give(ChangeOutput out) throws InterruptedException {
            Script script = scripts.get(id);
            if (script == null) {
                throw new IllegalStateException("no script for " + id);
            }
            while (next < script.items().length() && !out.full()) {
                trouble.before(Call.ROW, id + ":" + next);
                give(script.items().charAt(next), next++, out);
            }
            return script;
        }

        private void give(char item, int number, ChangeOutput out) {
            NumberPositions.Place after = positioned ? new NumberPositions.Place(number + 1) : null;
            switch (item) {
                case 'm' -> out.marker(new NumberPositions.Place(number + 1));
                case 'b' -> out.change(Numbered.change(id, number, BIG), after);
                case 'c' -> out.change(Numbered.change(id, number), after);
                default -> out.change(Numbered.change(id, number), null);
            }
        }

        @Override
        public boolean acknowledge(SplitProgress durable) throws InterruptedException {
            owned();
            return confirm(durable);
        }

        @Override
        public void abort() {
            aborted = true;
            moved.release();
        }

        @Override
        public void close() {
            owned();
            readers.remove(id, this);
            readersOpen.decrementAndGet();
            try {
                trouble.before(Call.CLOSE_READER, id);
            } catch (InterruptedException e) {
                throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "interrupted", e);
            }
        }
    }
}
