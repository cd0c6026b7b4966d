package io.tidegate.simulation;

import io.tidegate.simulation.stage.Cut;
import io.tidegate.simulation.stage.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Many runs, on some threads: each run is confined to its own scheduler. */
public final class Runs {

    private final AtomicLong next;
    private final Budget budget;
    private final Tally tally = new Tally();
    private final Map<Long, Simulation.Result> failed = new TreeMap<>();
    private final AtomicBoolean enough = new AtomicBoolean();
    private long runs;
    private long steps;
    private double seconds;

    /**
     * Which seeds, and how long.
     *
     * @param seeds how many, from the first one on
     * @param nanosMax no run begins later than this
     * @param failuresMax after so many none begins, either
     */
    public record Budget(long first, long seeds, long nanosMax, int failuresMax) {}

    private Runs(Budget budget) {
        this.budget = budget;
        this.next = new AtomicLong(budget.first());
    }

    /** Runs them all. */
    public static Runs of(Budget budget, int threads) {
        Runs runs = new Runs(budget);
        long until = System.nanoTime() + budget.nanosMax();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(() -> runs.work(until), "runs " + i);
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            try {
                worker.join();
            } catch (InterruptedException e) {
                runs.enough.set(true);
                Thread.currentThread().interrupt();
            }
        }
        return runs;
    }

    private void work(long until) {
        while (!enough.get() && System.nanoTime() - until < 0) {
            long seed = next.getAndIncrement();
            if (seed - budget.first() >= budget.seeds()) {
                return;
            }
            note(seed, Simulation.run(seed, Cut.NOTHING, null));
        }
    }

    private synchronized void note(long seed, Simulation.Result result) {
        runs++;
        steps += result.steps();
        seconds += result.seconds();
        tally.add(result.tally());
        if (result.violation() != null) {
            failed.put(seed, result);
            if (failed.size() >= budget.failuresMax()) {
                enough.set(true);
            }
        }
    }

    public synchronized long runs() {
        return runs;
    }

    /** Steps of roles. */
    public synchronized long steps() {
        return steps;
    }

    /** Virtual time. */
    public synchronized double seconds() {
        return seconds;
    }

    public Tally tally() {
        return tally;
    }

    /** By seed. */
    public synchronized Map<Long, Simulation.Result> failed() {
        return new TreeMap<>(failed);
    }

    /** Faults and transitions that were never seen. */
    public List<String> neverSeen() {
        return tally.counts().entrySet().stream()
                .filter(count -> count.getValue() == 0)
                .map(Map.Entry::getKey)
                .toList();
    }
}
