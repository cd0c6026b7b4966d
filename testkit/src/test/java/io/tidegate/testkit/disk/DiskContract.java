package io.tidegate.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.spi.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What every disk promises while nothing fails, so that the simulated one stands for the real one. */
abstract class DiskContract {

    abstract Disk disk();

    /** A directory that is there. */
    abstract Path directory();

    private Path path(String name) {
        return directory().resolve(name);
    }

    private void put(Path path, String text) throws IOException {
        try (Disk.File file = disk().open(path, Disk.Mode.CREATE)) {
            file.write(0, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            file.force();
        }
    }

    private String get(Path path) throws IOException {
        try (Disk.File file = disk().open(path, Disk.Mode.READ)) {
            ByteBuffer into = ByteBuffer.allocate((int) file.size());
            assertThat(file.read(0, into)).isEqualTo(into.capacity());
            return new String(into.array(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void createsOnlyWhatIsNotThereAndOpensOnlyWhatIs() throws IOException {
        assertThatThrownBy(() -> disk().open(path("a"), Disk.Mode.READ)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk().open(path("a"), Disk.Mode.WRITE)).isInstanceOf(NoSuchFileException.class);
        put(path("a"), "x");
        assertThatThrownBy(() -> disk().open(path("a"), Disk.Mode.CREATE))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void readsUpToTheEndAndWritesAnywhere() throws IOException {
        put(path("a"), "hello");
        try (Disk.File file = disk().open(path("a"), Disk.Mode.WRITE)) {
            ByteBuffer from = ByteBuffer.wrap("LOWER".getBytes(StandardCharsets.UTF_8));
            file.write(3, from);
            assertThat(from.hasRemaining()).isFalse();
            assertThat(file.size()).isEqualTo(8);
            ByteBuffer into = ByteBuffer.allocate(100);
            assertThat(file.read(6, into)).isEqualTo(2);
            assertThat(file.read(8, into)).isZero();
            assertThat(file.read(9, into)).isZero();
        }
        assertThat(get(path("a"))).isEqualTo("helLOWER");
    }

    @Test
    void fillsAGapWithZeros() throws IOException {
        put(path("a"), "x");
        try (Disk.File file = disk().open(path("a"), Disk.Mode.WRITE)) {
            file.write(3, ByteBuffer.wrap(new byte[] {'y'}));
        }
        assertThat(get(path("a"))).isEqualTo("x\0\0y");
    }

    @Test
    void cutsAFileAndNeverMakesItLonger() throws IOException {
        put(path("a"), "hello");
        try (Disk.File file = disk().open(path("a"), Disk.Mode.WRITE)) {
            file.truncate(9);
            assertThat(file.size()).isEqualTo(5);
            file.truncate(2);
        }
        assertThat(get(path("a"))).isEqualTo("he");
    }

    @Test
    void refusesToWriteWhatWasOpenedToRead() throws IOException {
        put(path("a"), "hello");
        try (Disk.File file = disk().open(path("a"), Disk.Mode.READ)) {
            assertThatThrownBy(() -> file.write(0, ByteBuffer.wrap(new byte[1])))
                    .isInstanceOf(Exception.class);
        }
        assertThat(get(path("a"))).isEqualTo("hello");
    }

    @Test
    void refusesAClosedFileAndClosesItTwice() throws IOException {
        put(path("a"), "hello");
        Disk.File file = disk().open(path("a"), Disk.Mode.WRITE);
        file.close();
        file.close();
        assertThatThrownBy(file::force).isInstanceOf(IOException.class);
        assertThatThrownBy(file::size).isInstanceOf(IOException.class);
    }

    @Test
    void listsNamesInOrderAndNoneOfADirectoryThatIsNotThere() throws IOException {
        put(path("b"), "");
        put(path("a"), "");
        disk().createDirectories(path("c/d"));
        disk().createDirectories(path("c/d"));
        assertThat(disk().list(directory())).containsExactly("a", "b", "c");
        assertThat(disk().list(path("none"))).isEmpty();
        assertThat(disk().list(path("none/none"))).isEmpty();
        assertThatThrownBy(() -> disk().list(path("a"))).isInstanceOf(IOException.class);
    }

    @Test
    void renamesOverWhatIsThere() throws IOException {
        put(path("a"), "new");
        put(path("b"), "old");
        disk().rename(path("a"), path("b"));
        assertThat(get(path("b"))).isEqualTo("new");
        assertThat(disk().exists(path("a"))).isFalse();
        assertThatThrownBy(() -> disk().rename(path("a"), path("c"))).isInstanceOf(NoSuchFileException.class);
        disk().forceDirectory(directory());
    }

    @Test
    void deletesOnlyWhatIsThere() throws IOException {
        put(path("a"), "x");
        disk().delete(path("a"));
        assertThat(disk().exists(path("a"))).isFalse();
        assertThatThrownBy(() -> disk().delete(path("a"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void forcesOnlyADirectoryThatIsThere() throws IOException {
        put(path("a"), "x");
        assertThatThrownBy(() -> disk().forceDirectory(path("none"))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> disk().forceDirectory(path("a"))).isInstanceOf(IOException.class);
    }

    @Test
    void keepsALockWhenAnEarlierHolderClosesItsOwnAgain() throws IOException {
        Closeable earlier = disk().lock(path("lock"), "me");
        earlier.close();
        try (Closeable lock = disk().lock(path("lock"), "me")) {
            assertThat(lock).isNotNull();
            earlier.close();
            assertThat(catchThrowableOfType(Disk.HeldException.class, () -> disk().lock(path("lock"), "other")))
                    .isNotNull()
                    .hasMessageContaining("me");
        }
    }

    @Test
    void saysWhoHoldsALockAndGivesItToTheNextOneWhenItIsLetGo() throws IOException {
        for (int round = 0; round < 2; round++) {
            try (Closeable lock = disk().lock(path("lock"), "holder " + round)) {
                assertThat(lock).isNotNull();
                for (int attempt = 0; attempt < 2; attempt++) {
                    Disk.HeldException held =
                            catchThrowableOfType(Disk.HeldException.class, () -> disk().lock(path("lock"), "other"));
                    assertThat(held).isNotNull();
                    assertThat(held.holder()).isEqualTo("holder " + round);
                }
            }
        }
    }
}
