package io.tidegate.engine.session;

import io.tidegate.engine.env.Threads;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The readers of a session: not more at once than the source allows, served in turn, and let go when they have ended and
 * everything that they read was taken. Of the pipeline's thread.
 */
final class Readers {

    /** So that a reader which always has something does not keep the pipeline's thread for itself. */
    private static final int ROUNDS_MAX = 16;

    /** A split that may be read. */
    record Opening(int split, SplitPlan plan, @Nullable Position from) {}

    private record Reading(ReaderRole role, Threads.Running thread, AtomicLong movedAt) {}

    /** The one that was served last comes last: a split with a long backlog starves no other (I14). */
    private final Map<Integer, Reading> reading = new LinkedHashMap<>();

    private final List<ReaderRole> ended = new ArrayList<>();
    private final Queue<Opening> waiting = new ArrayDeque<>();

    void await(Opening opening) {
        waiting.add(opening);
    }

    /** Has the next splits opened, as long as another one may be; {@code open} adds a reader. */
    void openUpTo(int readersMax, Consumer<Opening> open) {
        while (reading.size() < readersMax && !waiting.isEmpty()) {
            open.accept(waiting.remove());
        }
    }

    void add(ReaderRole role, Threads.Running thread, long now) {
        reading.put(role.split(), new Reading(role, thread, new AtomicLong(now)));
    }

    boolean isEmpty() {
        return reading.isEmpty();
    }

    /** Offers each reader in turn; {@code take} says whether it took something. Returns whether anything was taken. */
    boolean serve(Predicate<ReaderRole> take, long now) {
        boolean worked = false;
        boolean again = true;
        for (int round = 0; again && round < ROUNDS_MAX; round++) {
            again = false;
            for (Reading next : List.copyOf(reading.values())) {
                if (take.test(next.role())) {
                    next.movedAt().set(now);
                    reading.remove(next.role().split());
                    reading.put(next.role().split(), next);
                    if (next.role().low()) {
                        next.thread().wake();
                    }
                    again = true;
                }
            }
            worked |= again;
        }
        return worked;
    }

    /** False: nobody reads this split. */
    boolean acknowledge(int split, SplitProgress durable) {
        Reading reader = reading.get(split);
        if (reader == null) {
            return false;
        }
        reader.role().acknowledge(durable);
        reader.thread().wake();
        return true;
    }

    void ended(ReaderRole role) {
        ended.add(role);
    }

    /** Lets go of readers that have ended; of those with something left to take only if {@code all}. */
    void retire(boolean all, Consumer<ReaderRole> retired) {
        for (ReaderRole role : List.copyOf(ended)) {
            if (all || role.peek() == null) {
                ended.remove(role);
                reading.remove(role.split());
                retired.accept(role);
            }
        }
    }

    ReadSplits splits() {
        boolean log = reading.values().stream()
                .anyMatch(next -> next.role().opened() && !next.role().ofSnapshot());
        return new ReadSplits(Set.copyOf(reading.keySet()), log);
    }

    /** What the readers wait for; one that may not read now waits for nothing. */
    void waits(List<Wait> waits, String doing, long now) {
        for (Reading next : reading.values()) {
            ReaderRole role = next.role();
            if (!role.opened()) {
                String why = doing.isEmpty() ? "" : ": " + doing;
                String on = "the source has not opened split " + role.splitId() + why;
                waits.add(new Wait(Wait.Kind.SPLIT_OPEN, next.movedAt().get(), on));
            } else if (role.full() || role.peek() != null) {
                next.movedAt().set(now);
            } else if (role.ofSnapshot()) {
                String on = "the source gives nothing of split " + role.splitId();
                waits.add(new Wait(Wait.Kind.SNAPSHOT_READ, next.movedAt().get(), on));
            }
        }
    }

    void each(Consumer<ReaderRole> what) {
        reading.values().forEach(reader -> what.accept(reader.role()));
    }

    void wake() {
        reading.values().forEach(reader -> reader.thread().wake());
    }
}
