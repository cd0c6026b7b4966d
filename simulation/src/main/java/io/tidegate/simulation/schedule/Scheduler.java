package io.tidegate.simulation.schedule;

import io.tidegate.engine.env.Clock;
import io.tidegate.engine.env.Role;
import io.tidegate.engine.env.Threads;
import io.tidegate.testkit.property.Choices;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Steps roles one at a time. A step that would block parks the thread it runs on, and another thread of a pool goes on with
 * the loop; when the wait is over, and the choices say so, the parked thread gets the baton back and finishes its step. So
 * only one thread runs at any time, and steps that do not block cost no hand-over.
 */
public final class Scheduler implements Clock {

    private static final ExecutorService WORKERS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "simulation");
        thread.setDaemon(true);
        return thread;
    });

    private static final long EPOCH_MILLIS = 1_767_225_600_000L;
    private static final int STEP_NANOS_MIN = 20_000;
    private static final int STEP_NANOS_SPREAD = 100_000;
    private static final int WEIGHT_MAX = 8;

    private final Choices choices;
    private final List<Task> tasks = new ArrayList<>();
    private final CountDownLatch done = new CountDownLatch(1);
    private long now;
    private long steps;
    private @Nullable Task current;
    private boolean over;
    private @Nullable Throwable failure;

    public Scheduler(Choices choices) {
        this.choices = choices;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public long epochMillis() {
        return EPOCH_MILLIS + now / 1_000_000;
    }

    /** Steps that were taken. */
    public long steps() {
        return steps;
    }

    /** The role whose step it is; empty between steps. */
    public String who() {
        Task task = current;
        return task == null ? "" : task.name;
    }

    /** Whether its role is in the middle of a step that waits. */
    public boolean anyBlocked() {
        return tasks.stream().anyMatch(task -> task.state == Task.State.BLOCKED);
    }

    /** Threads whose roles die together, when {@link #kill} is called with the same owner. */
    public Threads threadsOf(Object owner) {
        return new Threads() {
            @Override
            public Running start(String name, Role role) {
                Task task = new Task(name, role, owner, 1 + choices.below(WEIGHT_MAX));
                tasks.add(task);
                return task;
            }

            @Override
            public void pause(long nanos) {
                block(nanos, () -> false);
            }
        };
    }

    /**
     * Waits in the middle of a step. Returns whether {@code until} holds; false: the time has passed.
     *
     * @throws Killed its process died meanwhile
     */
    public boolean block(long nanosMax, BooleanSupplier until) {
        Task task = running();
        task.block(deadline(nanosMax), until);
        current = null;
        WORKERS.execute(this::loop);
        task.baton.acquireUninterruptibly();
        current = task;
        if (task.killed) {
            throw new Killed();
        }
        return until.getAsBoolean();
    }

    /** Has the next step of the running role wait, if this one worked: as if its call had waited at its end. */
    public void rest(long nanosMax, BooleanSupplier until) {
        running().rest = new Task.Rest(deadline(nanosMax), until);
    }

    /** Ends the roles of an owner where they stand. One that is in the middle of a step gets {@link Killed} there. */
    public void kill(Object owner) {
        for (Iterator<Task> each = tasks.iterator(); each.hasNext(); ) {
            Task task = each.next();
            if (task.owner.equals(owner)) {
                kill(task);
                if (task.state == Task.State.ENDED) {
                    each.remove();
                }
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // the same task
    private void kill(Task task) {
        task.killed = true;
        if (task.state != Task.State.BLOCKED && task != current) {
            task.state = Task.State.ENDED;
        }
    }

    /** Ends the run after this step; for good reason if there is no failure. */
    public void end(@Nullable Throwable why) {
        if (!over) {
            over = true;
            failure = why;
        }
    }

    public boolean over() {
        return over;
    }

    /** Runs until {@link #end}. Returns why it ended; null if nothing failed. */
    public @Nullable Throwable run() {
        WORKERS.execute(this::loop);
        boolean interrupted = false;
        while (true) {
            try {
                done.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return failure;
    }

    private void loop() {
        while (true) {
            Task task = choose();
            if (task == null) {
                done.countDown();
                return;
            }
            steps++;
            current = task;
            if (task.state == Task.State.BLOCKED) {
                task.baton.release();
                return;
            }
            step(task);
        }
    }

    private void step(Task task) {
        Role.Step step = Role.Step.ENDED;
        task.state = Task.State.READY;
        task.awake = false;
        try {
            step = task.role.step();
        } catch (Killed e) {
            task.killed = true;
        } catch (Throwable e) {
            end(e);
        }
        current = null;
        now += STEP_NANOS_MIN + choices.below(STEP_NANOS_SPREAD);
        task.stepped(step, now);
        if (task.state == Task.State.ENDED) {
            tasks.remove(task);
        }
    }

    private @Nullable Task choose() {
        if (over) {
            return unwind();
        }
        while (true) {
            int weights = 0;
            long next = Long.MAX_VALUE;
            for (Task task : tasks) {
                if (task.canRun(now)) {
                    if (task.killed) {
                        return task;
                    }
                    weights += task.weight;
                } else {
                    next = Math.min(next, task.until);
                }
            }
            if (weights > 0) {
                return pick(choices.below(weights));
            }
            if (next == Long.MAX_VALUE) {
                end(new AssertionError("nothing can run, and nothing will"));
                return unwind();
            }
            now = next;
        }
    }

    private Task pick(int number) {
        int left = number;
        for (Task task : tasks) {
            if (task.canRun(now)) {
                left -= task.weight;
                if (left < 0) {
                    return task;
                }
            }
        }
        throw new IllegalStateException("a task that could run cannot any more");
    }

    /** Lets go of the threads that stand in the middle of a step, one after the other. */
    private @Nullable Task unwind() {
        for (Task task : List.copyOf(tasks)) {
            kill(task);
            if (task.state == Task.State.BLOCKED) {
                return task;
            }
        }
        tasks.clear();
        return null;
    }

    private long deadline(long nanosMax) {
        return nanosMax > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanosMax;
    }

    private Task running() {
        Task task = current;
        if (task == null) {
            throw new IllegalStateException("no role is running");
        }
        return task;
    }
}
