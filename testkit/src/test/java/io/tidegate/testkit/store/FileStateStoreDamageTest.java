package io.tidegate.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A state file that is not as it was written is read up to a torn tail, or refused; never read as something else. */
class FileStateStoreDamageTest {

    private static final Path STATE_DIR = Path.of("/var/state");
    private static final Path FOLDER = STATE_DIR.resolve("orders");
    private static final Path FIRST = FOLDER.resolve("state-0000000001.log");
    private static final Path SECOND = FOLDER.resolve("state-0000000002.log");
    private static final int RECORDS = 6;

    /** The bytes of a generation, where each of its records ends, and the state up to there. */
    private static final class Written {

        private final byte[] bytes;
        private final List<Integer> ends;
        private final List<Checkpoint> states;

        Written(byte[] bytes, List<Integer> ends, List<Checkpoint> states) {
            this.bytes = bytes;
            this.ends = ends;
            this.states = states;
        }

        byte[] bytes() {
            return bytes;
        }

        List<Integer> ends() {
            return ends;
        }

        /** What the first {@code length} bytes hold; null if that is not even a checkpoint. */
        Checkpoint upTo(int length) {
            Checkpoint state = null;
            for (int i = 0; i < ends.size(); i++) {
                if (ends.get(i) <= length) {
                    state = states.get(i);
                }
            }
            return state;
        }

        int lastStart() {
            return ends.get(ends.size() - 2);
        }
    }

    private static FileStateStore.Options options(Disk disk, String pipeline) {
        return new FileStateStore.Options(disk, STATE_DIR, pipeline, new NumberPositions());
    }

    private static SimulatedDisk emptyDisk() {
        return new SimulatedDisk(new SplittableRandom(1));
    }

    private static Written write(SimulatedDisk disk, long seed) throws IOException {
        SplittableRandom choices = new SplittableRandom(seed);
        List<Integer> ends = new ArrayList<>();
        List<Checkpoint> states = new ArrayList<>();
        try (FileStateStore store = FileStateStore.open(options(disk, "orders"), "me")) {
            if (!store.read().isEmpty()) {
                ends.add(contentOf(disk, newest(disk)).length);
                states.add(store.read());
            }
            while (ends.size() < RECORDS) {
                Checkpoint now = store.read();
                Writes.next(now, now, choices).to(store);
                ends.add(contentOf(disk, newest(disk)).length);
                states.add(store.read());
            }
        }
        return new Written(contentOf(disk, newest(disk)), ends, states);
    }

    private static Path newest(Disk disk) throws IOException {
        List<String> names =
                disk.list(FOLDER).stream().filter(name -> name.endsWith(".log")).toList();
        return FOLDER.resolve(names.get(names.size() - 1));
    }

    private static byte[] contentOf(Disk disk, Path path) throws IOException {
        try (Disk.File file = disk.open(path, Disk.Mode.READ)) {
            ByteBuffer content = ByteBuffer.allocate((int) file.size());
            file.read(0, content);
            return content.array();
        }
    }

    private static void put(Disk disk, Path path, byte[] content) throws IOException {
        disk.createDirectories(path.getParent());
        if (disk.exists(path)) {
            disk.delete(path);
        }
        try (Disk.File file = disk.open(path, Disk.Mode.CREATE)) {
            file.write(0, ByteBuffer.wrap(content));
        }
    }

    private static SimulatedDisk diskWith(Path path, byte[] content) throws IOException {
        SimulatedDisk disk = emptyDisk();
        put(disk, path, content);
        return disk;
    }

    private static Checkpoint open(Disk disk) {
        try (FileStateStore store = FileStateStore.open(options(disk, "orders"), "me")) {
            return store.read();
        }
    }

    private static TidegateException refused(Disk disk, Path file) {
        TidegateException refusal = catchThrowableOfType(TidegateException.class, () -> open(disk));
        assertThat(refusal).isNotNull();
        assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_DAMAGED);
        assertThat(refusal).hasMessageContaining(file.toString()).hasMessageContaining("offset");
        return refusal;
    }

    @Test
    void readsACutFileUpToItsLastWholeRecordAndRefusesItWithoutACheckpoint() throws IOException {
        Written written = write(emptyDisk(), 7);
        for (int length = 0; length < written.bytes().length; length++) {
            SimulatedDisk disk = diskWith(FIRST, Arrays.copyOf(written.bytes(), length));
            Checkpoint expected = written.upTo(length);
            if (expected == null) {
                refused(disk, FIRST);
            } else {
                assertThat(open(disk)).as("cut at %s", length).isEqualTo(expected);
            }
        }
    }

    @Test
    void refusesAFileOfWhichAnyByteChangedBeforeItsLastRecord() throws IOException {
        Written written = write(emptyDisk(), 7);
        for (int at = 0; at < written.bytes().length; at++) {
            for (int mask : new int[] {0x01, 0x10, 0x20, 0x80, 0xff}) {
                byte[] changed = written.bytes().clone();
                changed[at] ^= (byte) mask;
                SimulatedDisk disk = diskWith(FIRST, changed);
                if (at < written.lastStart()) {
                    refused(disk, FIRST);
                } else {
                    assertThat(open(disk)).isEqualTo(written.upTo(written.lastStart()));
                }
            }
        }
    }

    @Test
    void refusesAFileInWhichARecordIsMissingOrThereTwice() throws IOException {
        Written written = write(emptyDisk(), 7);
        for (int i = 1; i < RECORDS - 1; i++) {
            int start = written.ends().get(i - 1);
            int end = written.ends().get(i);
            refused(diskWith(FIRST, joined(written.bytes(), 0, start, written.bytes(), end)), FIRST);
            refused(diskWith(FIRST, joined(written.bytes(), 0, end, written.bytes(), start)), FIRST);
        }
    }

    @Test
    void refusesAZeroedRangeThatIsNotTheTail() throws IOException {
        Written written = write(emptyDisk(), 7);
        for (int from = 0; from < written.lastStart(); from += 3) {
            byte[] holed = written.bytes().clone();
            Arrays.fill(holed, from, Math.min(from + 64, written.lastStart()), (byte) 0);
            refused(diskWith(FIRST, holed), FIRST);
        }
    }

    @Test
    void takesZerosBehindTheLastRecordForATornTail() throws IOException {
        Written written = write(emptyDisk(), 7);
        byte[] grown = Arrays.copyOf(written.bytes(), written.bytes().length + 4_096);
        assertThat(open(diskWith(FIRST, grown))).isEqualTo(written.upTo(written.bytes().length));
    }

    @Test
    void refusesRecordsOfAnotherGenerationInTheMiddleAndIgnoresThemAtTheEnd() throws IOException {
        SimulatedDisk disk = emptyDisk();
        Written first = write(disk, 7);
        Written second = write(disk, 8);
        refused(diskWith(SECOND, first.bytes()), SECOND);
        for (int i = 1; i < RECORDS - 1; i++) {
            int cut = second.ends().get(i);
            byte[] mixed =
                    joined(second.bytes(), 0, cut, first.bytes(), first.ends().get(i));
            assertThat(open(diskWith(SECOND, mixed))).isEqualTo(second.upTo(cut));
            byte[] between = Arrays.copyOf(mixed, mixed.length + second.bytes().length - second.lastStart());
            System.arraycopy(second.bytes(), second.lastStart(), between, mixed.length, between.length - mixed.length);
            refused(diskWith(SECOND, between), SECOND);
        }
    }

    @Test
    void refusesADamagedNewestGenerationAlthoughTheOneBeforeItIsWholeAndSaysSo() throws IOException {
        SimulatedDisk disk = emptyDisk();
        write(disk, 7);
        Written second = write(disk, 8);
        for (int length = 0; length < second.ends().get(0); length += 5) {
            put(disk, SECOND, Arrays.copyOf(second.bytes(), length));
            assertThat(refused(disk, SECOND).advice())
                    .contains(FIRST.getFileName().toString());
        }
    }

    @Test
    void refusesTheStateOfAnotherPipeline() throws IOException {
        SimulatedDisk disk = emptyDisk();
        Written written = write(disk, 7);
        Path moved = STATE_DIR.resolve("invoices").resolve(FIRST.getFileName());
        put(disk, moved, written.bytes());
        TidegateException refusal =
                catchThrowableOfType(TidegateException.class, () -> FileStateStore.show(options(disk, "invoices")));
        assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_DAMAGED);
        assertThat(refusal).hasMessageContaining("\"orders\"").hasMessageContaining("\"invoices\"");
    }

    @Test
    void refusesAFormatThatItDoesNotKnow() throws IOException {
        Written written = write(emptyDisk(), 7);
        String text = new String(written.bytes(), StandardCharsets.UTF_8);
        byte[] newer = text.replaceFirst("format 2\n", "format 3\n").getBytes(StandardCharsets.UTF_8);
        assertThat(refused(diskWith(FIRST, newer), FIRST)).hasMessageContaining("does not know");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 10, 123_456_789})
    void refusesTheFileOfALaterVersionWithACodeOfItsOwnAndLeavesItAsItIs(int format) throws IOException {
        byte[] later =
                ("tidegate state, format " + format + "\nwhatever comes then\n").getBytes(StandardCharsets.UTF_8);
        SimulatedDisk disk = diskWith(SECOND, later);
        put(disk, FIRST, write(emptyDisk(), 7).bytes());

        for (ThrowingCallable read :
                List.<ThrowingCallable>of(() -> open(disk), () -> FileStateStore.show(options(disk, "orders")))) {
            TidegateException refusal = catchThrowableOfType(TidegateException.class, read);
            assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_NEWER);
            assertThat(refusal).hasMessageContaining(SECOND.toString()).hasMessageContaining("format " + format);
            assertThat(refusal.advice()).as("nobody is told to move it away").doesNotContain("move");
        }
        assertThat(disk.list(FOLDER))
                .containsExactly(
                        "lock",
                        FIRST.getFileName().toString(),
                        SECOND.getFileName().toString());
        assertThat(contentOf(disk, SECOND)).isEqualTo(later);
    }

    @Test
    void removesWhatAnUnfinishedWriteLeftAndReadsTheNewestGeneration() throws IOException {
        SimulatedDisk disk = emptyDisk();
        Written written = write(disk, 7);
        put(disk, FOLDER.resolve("state-0000000009.log.tmp"), new byte[] {1, 2, 3});
        put(disk, FOLDER.resolve("notes.txt"), new byte[] {1});
        assertThat(open(disk)).isEqualTo(written.upTo(written.bytes().length));
        assertThat(disk.list(FOLDER))
                .containsExactly(
                        "lock",
                        "notes.txt",
                        FIRST.getFileName().toString(),
                        SECOND.getFileName().toString());
    }

    @Test
    void keepsTheNewestGenerationAndTheOneBeforeIt() throws IOException {
        SimulatedDisk disk = emptyDisk();
        for (long seed = 0; seed < 4; seed++) {
            write(disk, seed);
        }
        assertThat(disk.list(FOLDER)).containsExactly("lock", "state-0000000003.log", "state-0000000004.log");
    }

    private static byte[] joined(byte[] first, int from, int to, byte[] second, int rest) {
        byte[] joined = new byte[to - from + second.length - rest];
        System.arraycopy(first, from, joined, 0, to - from);
        System.arraycopy(second, rest, joined, to - from, second.length - rest);
        return joined;
    }
}
