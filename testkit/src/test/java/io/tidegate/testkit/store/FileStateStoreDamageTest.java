package io.tidegate.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.ByteArrayOutputStream;
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

    /** Two generations, whole, one after the other. */
    private record Two(Written first, Written second) {

        static Two written() throws IOException {
            SimulatedDisk disk = emptyDisk();
            return new Two(write(disk, 7), write(disk, 8));
        }

        /** A disk with the first as it was, and something else in place of the second. */
        SimulatedDisk with(byte[] second) throws IOException {
            SimulatedDisk disk = diskWith(FIRST, first.bytes());
            put(disk, SECOND, second);
            return disk;
        }
    }

    @Test
    void readsAFileThatWasCutAtAnyLengthUpToItsLastWholeRecordAndRefusesItWithoutACheckpoint() throws IOException {
        Two two = Two.written();
        Written written = two.second();
        for (int length = 0; length < written.bytes().length; length++) {
            SimulatedDisk disk = two.with(Arrays.copyOf(written.bytes(), length));
            Checkpoint expected = written.upTo(length);
            if (expected == null) {
                refused(disk, SECOND);
            } else {
                assertThat(open(disk)).as("cut at %s", length).isEqualTo(expected);
            }
        }
    }

    @Test
    void refusesAFileOfWhichAnyBitOfAnyByteChangedBeforeItsLastRecord() throws IOException {
        Two two = Two.written();
        for (int at = 0; at < two.second().bytes().length; at++) {
            for (int mask : new int[] {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80}) {
                byte[] changed = two.second().bytes().clone();
                changed[at] ^= (byte) mask;
                readsUpToItsTornTailOrRefuses(two, changed, at);
            }
        }
    }

    @Test
    void refusesAFileInWhichAnyByteBecameOneThatMeansSomethingThere() throws IOException {
        Two two = Two.written();
        for (int at = 0; at < two.second().bytes().length; at++) {
            for (char meant : "0f \n\0".toCharArray()) {
                byte[] changed = two.second().bytes().clone();
                if (changed[at] != meant) {
                    changed[at] = (byte) meant;
                    readsUpToItsTornTailOrRefuses(two, changed, at);
                }
            }
        }
    }

    /** Of a second generation with one byte changed. */
    private static void readsUpToItsTornTailOrRefuses(Two two, byte[] changed, int at) throws IOException {
        Written written = two.second();
        if (at < written.lastStart()) {
            refused(two.with(changed), SECOND);
        } else {
            assertThat(FileStateStore.show(options(two.with(changed), "orders")))
                    .as("byte %s", at)
                    .isEqualTo(written.upTo(written.lastStart()));
        }
    }

    @Test
    void readsTheNewestGenerationWhateverHappenedToTheOneBeforeIt() throws IOException {
        Two two = Two.written();
        Checkpoint newest = two.second().upTo(two.second().bytes().length);
        byte[] older = two.first().bytes();
        for (int at = 0; at < older.length; at += 7) {
            byte[] changed = older.clone();
            changed[at] ^= 0x55;
            for (byte[] damaged :
                    List.of(Arrays.copyOf(older, at), changed, two.second().bytes())) {
                SimulatedDisk disk = two.with(two.second().bytes());
                put(disk, FIRST, damaged);
                assertThat(FileStateStore.show(options(disk, "orders"))).isEqualTo(newest);
            }
        }
    }

    @Test
    void readsTwoGenerationsMixedAtAnyByteUpToWhereTheNewestOneEnds() throws IOException {
        Two two = Two.written();
        byte[] newest = two.second().bytes();
        byte[] older = two.first().bytes();
        for (int at = 0; at < Math.min(newest.length, older.length); at++) {
            byte[] olderTail = joined(newest, 0, at, older, at);
            // what the two have in common at this place belongs to the newest one
            int common = at;
            while (common < newest.length && common < older.length && newest[common] == older[common]) {
                common++;
            }
            Checkpoint expected = two.second().upTo(common);
            if (expected == null) {
                refused(two.with(olderTail), SECOND);
            } else {
                assertThat(open(two.with(olderTail))).as("cut at %s", at).isEqualTo(expected);
            }
            byte[] newestTail = joined(older, 0, at, newest, at);
            if (!Arrays.equals(newestTail, newest)) {
                refused(two.with(newestTail), SECOND);
            }
        }
    }

    @Test
    void readsTheLinesOfTwoGenerationsInAnyMixUpToWhereTheNewestOneEnds() throws IOException {
        Two two = Two.written();
        List<byte[]> newest = lines(two.second().bytes());
        List<byte[]> older = lines(two.first().bytes());
        SplittableRandom choices = new SplittableRandom(3);
        for (int mix = 0; mix < 2_000; mix++) {
            int whole = choices.nextInt(newest.size());
            ByteArrayOutputStream mixed = new ByteArrayOutputStream();
            newest.subList(0, whole).forEach(mixed::writeBytes);
            int length = mixed.size();
            boolean later = false;
            for (int more = choices.nextInt(5); more >= 0; more--) {
                int from = choices.nextInt(1, newest.size());
                boolean ofNewest = choices.nextInt(4) == 0 && (from != whole || mixed.size() > length);
                int other = choices.nextInt(1, older.size());
                later |= ofNewest || other == 1; // what names a generation is a record of any file
                mixed.writeBytes(ofNewest ? newest.get(from) : older.get(other));
            }
            SimulatedDisk disk = two.with(mixed.toByteArray());
            Checkpoint expected = later ? null : two.second().upTo(length);
            if (expected == null) {
                refused(disk, SECOND);
            } else {
                assertThat(open(disk)).as("mix %s", mix).isEqualTo(expected);
            }
        }
    }

    private static List<byte[]> lines(byte[] file) {
        List<byte[]> lines = new ArrayList<>();
        int start = 0;
        for (int at = 0; at < file.length; at++) {
            if (file[at] == '\n') {
                lines.add(Arrays.copyOfRange(file, start, at + 1));
                start = at + 1;
            }
        }
        return lines;
    }

    @Test
    void refusesTwoGenerationsThatSwappedTheirNames() throws IOException {
        Two two = Two.written();
        SimulatedDisk disk = two.with(two.first().bytes());
        put(disk, FIRST, two.second().bytes());
        assertThat(refused(disk, SECOND)).hasMessageContaining("\"generation\":1");
    }

    @Test
    void refusesAnEmptyFileWithOrWithoutAGenerationBeforeIt() throws IOException {
        refused(diskWith(FIRST, new byte[0]), FIRST);
        refused(Two.written().with(new byte[0]), SECOND);
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
