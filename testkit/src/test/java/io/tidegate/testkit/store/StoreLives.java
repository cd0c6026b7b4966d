package io.tidegate.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * One process after another that uses a state directory as an engine does, and the promise that is checked whenever the
 * store answers: it holds what was last confirmed or, if a write has failed since, one of those that failed.
 */
final class StoreLives {

    private static final Path STATE_DIR = Path.of("/var/state");

    private final RandomGenerator choices;
    private final List<Checkpoint> attempted = new ArrayList<>();
    private Checkpoint confirmed = Checkpoint.EMPTY;
    private int failures;

    StoreLives(RandomGenerator choices) {
        this.choices = choices;
    }

    static FileStateStore.Options options(SimulatedDisk disk) {
        return new FileStateStore.Options(disk, STATE_DIR, "orders", new NumberPositions(), 600);
    }

    Checkpoint confirmed() {
        return confirmed;
    }

    /** How many calls of a store failed. */
    int failures() {
        return failures;
    }

    /** A process that opens the store, writes, and ends in whatever way; its end is not orderly if {@code isKilled}. */
    void live(SimulatedDisk disk, int writes, boolean isKilled) {
        live(options(disk), writes, isKilled);
    }

    void live(FileStateStore.Options options, int writes, boolean isKilled) {
        Optional<FileStateStore> opened = tried(() -> FileStateStore.open(options, "me"));
        if (opened.isEmpty()) {
            return;
        }
        FileStateStore store = opened.get();
        boolean isKnown = read(store);
        Optional<Writes.Step> owed = Optional.empty();
        for (int i = 0; i < writes; i++) {
            if (!isKnown) {
                isKnown = read(store);
                owed = Optional.empty();
                continue;
            }
            Checkpoint base = owed.map(step -> step.after(confirmed)).orElse(confirmed);
            Writes.Write next = Writes.next(base, confirmed, choices);
            if (next instanceof Writes.Step step) {
                Writes.Step whole = owed.map(before -> before.and(step)).orElse(step);
                owed = write(store, whole) ? Optional.empty() : Optional.of(whole);
                isKnown = owed.isEmpty() || choices.nextBoolean();
            } else if (owed.isEmpty()) {
                isKnown = write(store, next);
            }
        }
        if (!isKilled) {
            tried(() -> {
                store.close();
                return true;
            });
        }
    }

    /** What the next process finds is right; it opens, on a disk without faults. */
    void check(SimulatedDisk disk) {
        check(options(disk));
    }

    void check(FileStateStore.Options options) {
        try (FileStateStore store = FileStateStore.open(options, "me")) {
            assertThat(read(store)).isTrue();
        }
    }

    private boolean read(FileStateStore store) {
        Optional<Checkpoint> found = tried(store::read);
        found.ifPresent(checkpoint -> {
            if (!attempted.contains(checkpoint)) {
                assertThat(checkpoint).isEqualTo(confirmed);
            }
            confirmed = checkpoint;
            attempted.clear();
        });
        return found.isPresent();
    }

    private boolean write(FileStateStore store, Writes.Write write) {
        Checkpoint after = write.after(confirmed);
        boolean isConfirmed = tried(() -> {
                    write.to(store);
                    return true;
                })
                .isPresent();
        if (isConfirmed) {
            confirmed = after;
            attempted.clear();
        } else {
            attempted.add(after);
        }
        return isConfirmed;
    }

    private interface Call<T> {
        T run();
    }

    /** Empty if it failed as a disk fails; any other failure is the store's. */
    private <T> Optional<T> tried(Call<T> call) {
        try {
            return Optional.of(call.run());
        } catch (TidegateException e) {
            if (e.code() != ErrorCode.STATE_WRITE) {
                throw e;
            }
            failures++;
            return Optional.empty();
        }
    }
}
