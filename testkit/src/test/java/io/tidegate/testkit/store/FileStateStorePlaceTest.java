package io.tidegate.testkit.store;

import static io.tidegate.testkit.store.NumberPositions.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.DiskCall;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The state directory is full, may not be written to, or goes away while the store is open. */
class FileStateStorePlaceTest {

    private static final String NEWEST = "state-0000000001.log";

    @TempDir
    private Path directory;

    /** Which disk; the same happens on both. */
    enum Kind {
        REAL,
        SIMULATED
    }

    private Disk disk(Kind kind) throws IOException {
        Disk disk = kind == Kind.REAL ? new RealDisk() : new SimulatedDisk(new SplittableRandom(1));
        disk.createDirectories(directory);
        return disk;
    }

    private Path folder() {
        return directory.resolve("orders");
    }

    private static FileStateStore.Options options(Disk disk, Path stateDir) {
        return new FileStateStore.Options(disk, stateDir, "orders", new NumberPositions());
    }

    private FileStateStore born(Disk disk) {
        FileStateStore store = FileStateStore.open(options(disk, directory), "me");
        Writes.birth().to(store);
        return store;
    }

    private static void progress(FileStateStore store, int position) {
        store.progress(List.of(), List.of(new SplitProgress("chunk-1", at(position), false)));
    }

    private static TidegateException refused(Runnable what) {
        TidegateException refusal = catchThrowableOfType(TidegateException.class, what::run);
        assertThat(refusal).isNotNull();
        assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_WRITE);
        return refusal;
    }

    private static void remove(Disk disk, Path path) throws IOException {
        if (disk instanceof SimulatedDisk) {
            disk.delete(path);
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void confirmsNothingAfterItsFolderWasRemovedNotEvenWhenThereIsOneAgain(Kind kind) throws IOException {
        Disk disk = disk(kind);
        FileStateStore store = born(disk);
        remove(disk, folder());
        assertThat(refused(() -> progress(store, 3))).hasMessageContaining(folder().toString());
        disk.createDirectories(folder());
        refused(() -> progress(store, 3));
        disk.open(folder().resolve("lock"), Disk.Mode.CREATE).close(); // another process has come
        assertThat(refused(() -> progress(store, 3))).hasMessageContaining("Somebody removed the lock");
        store.close();
        assertThat(disk.list(folder())).containsExactly("lock");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void confirmsNothingAfterItsLockWasRemoved(Kind kind) throws IOException {
        Disk disk = disk(kind);
        FileStateStore store = born(disk);
        disk.delete(folder().resolve("lock"));
        assertThat(refused(() -> progress(store, 3))).hasMessageContaining("Somebody removed the lock");
        store.close();
        assertThat(FileStateStore.show(options(disk, directory))
                        .splits()
                        .get(0)
                        .progress()
                        .position())
                .isNull();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void writesAllAnewAfterItsFileWasRemoved(Kind kind) throws IOException {
        Disk disk = disk(kind);
        try (FileStateStore store = born(disk)) {
            disk.delete(folder().resolve(NEWEST));
            assertThat(refused(() -> progress(store, 3))).hasMessageContaining("somebody removed it");
            progress(store, 3);
            assertThat(FileStateStore.show(options(disk, directory))).isEqualTo(store.read());
        }
    }

    @Test
    void isNoStateWithoutAPlaceForOneOnARealDisk() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        refused(() -> FileStateStore.open(options(new RealDisk(), file), "me"));
        refused(() -> FileStateStore.show(options(new RealDisk(), file)));
    }

    /** Root may write everywhere but there. */
    @Test
    void isNoStateWhereNobodyMayWriteOnARealDisk() {
        Path kernel = Path.of("/proc");
        assumeTrue(
                Files.isDirectory(kernel.resolve("self")), "this system has no directory that root may not write to");
        refused(() -> FileStateStore.open(options(new RealDisk(), kernel.resolve("tidegate")), "me"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void showsAStateThatMayNotBeWrittenToAndDoesNotOpenIt(boolean lockThere) throws IOException {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
        FileStateStore store = born(disk);
        Checkpoint state = store.read();
        store.close();
        readOnly(disk);
        if (!lockThere) {
            disk.fail(DiskCall.LOCK);
        }
        FileStateStore.Options options = options(disk, directory);
        assertThat(FileStateStore.show(options)).isEqualTo(state);
        refused(() -> {
            try (FileStateStore opened = FileStateStore.open(options, "me")) {
                opened.read(); // it has to be made durable first
            }
        });
        assertThat(FileStateStore.show(options)).isEqualTo(state);
    }

    @Test
    void confirmsNothingWhileItMayNotBeWrittenToAndGoesOnWhenItMay() throws IOException {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
        try (FileStateStore store = born(disk)) {
            Checkpoint before = store.read();
            readOnly(disk);
            for (int i = 0; i < 3; i++) {
                refused(() -> progress(store, 3));
                assertThat(FileStateStore.show(options(disk, directory))).isEqualTo(before);
            }
            disk.mend();
            progress(store, 4);
            assertThat(FileStateStore.show(options(disk, directory))).isEqualTo(store.read());
        }
    }

    private static void readOnly(SimulatedDisk disk) {
        for (DiskCall call : List.of(
                DiskCall.CREATE_DIRECTORIES, DiskCall.DELETE, DiskCall.RENAME, DiskCall.WRITE, DiskCall.TRUNCATE)) {
            disk.fail(call);
        }
    }

    @Test
    void confirmsNothingWhileTheDiskIsFullAndGoesOnWhenThereIsRoom() throws IOException {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
        Checkpoint confirmed;
        try (FileStateStore store = born(disk)) {
            confirmed = store.read();
            int failures = 0;
            for (long room = 0; room < 3_000; room += 50) {
                disk.capacity(room);
                TidegateException failure = catchThrowableOfType(TidegateException.class, () -> progress(store, 3));
                if (failure == null) {
                    confirmed = store.read();
                } else {
                    failures++;
                    assertThat(failure.code()).isEqualTo(ErrorCode.STATE_WRITE);
                    assertThat(failure).hasMessageContaining("no space left");
                    assertThat(FileStateStore.show(options(disk, directory))).isEqualTo(confirmed);
                }
            }
            assertThat(failures).isBetween(10, 50);
            assertThat(confirmed.splits().get(0).progress().position()).isEqualTo(at(3));
            disk.mend();
            progress(store, 5);
            confirmed = store.read();
            assertThat(confirmed.splits().get(0).progress().position()).isEqualTo(at(5));
        }
        assertThat(FileStateStore.show(options(disk.crash(), directory))).isEqualTo(confirmed);
    }
}
