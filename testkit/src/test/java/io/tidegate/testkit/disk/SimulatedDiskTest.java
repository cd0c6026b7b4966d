package io.tidegate.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The simulated disk does what a real one may do, and nothing that it may not. */
class SimulatedDiskTest extends DiskContract {

    private static final Path DIRECTORY = Path.of("/var/data");
    private static final Path A = DIRECTORY.resolve("a");
    private static final int SEEDS = 400;

    private SimulatedDisk disk = disk(1);

    private static SimulatedDisk disk(long seed) {
        return new SimulatedDisk(new SplittableRandom(seed));
    }

    @BeforeEach
    void makeTheDirectory() throws IOException {
        prepare(disk);
    }

    private static void prepare(SimulatedDisk disk) throws IOException {
        disk.createDirectories(DIRECTORY);
        disk.forceDirectory(Path.of("/"));
        disk.forceDirectory(Path.of("/var"));
    }

    @Override
    Disk disk() {
        return disk;
    }

    @Override
    Path directory() {
        return DIRECTORY;
    }

    private interface Steps {
        void on(SimulatedDisk disk) throws IOException;
    }

    /** What is found after a loss of power that follows the steps, for many seeds. */
    private static Set<String> outcomes(Steps steps) throws IOException {
        Set<String> found = new TreeSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedDisk disk = disk(seed);
            prepare(disk);
            steps.on(disk);
            found.add(contents(disk.crash()));
        }
        return found;
    }

    private static String contents(SimulatedDisk disk) throws IOException {
        StringBuilder all = new StringBuilder();
        for (String name : disk.list(DIRECTORY)) {
            try (Disk.File file = disk.open(DIRECTORY.resolve(name), Disk.Mode.READ)) {
                ByteBuffer into = ByteBuffer.allocate((int) file.size());
                file.read(0, into);
                all.append(name)
                        .append('=')
                        .append(new String(into.array(), StandardCharsets.UTF_8))
                        .append(' ');
            }
        }
        return all.toString().strip();
    }

    private static Disk.File put(SimulatedDisk disk, Path path, String text, boolean isForced) throws IOException {
        Disk.File file = disk.open(path, Disk.Mode.CREATE);
        write(file, 0, text);
        if (isForced) {
            file.force();
        }
        return file;
    }

    private static void write(Disk.File file, long at, String text) throws IOException {
        file.write(at, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void keepsWhatWasForcedWithItsName() throws IOException {
        assertThat(outcomes(disk -> {
                    put(disk, A, "hello", true);
                    disk.forceDirectory(DIRECTORY);
                }))
                .containsExactly("a=hello");
    }

    @Test
    void losesANameThatWasNotForcedWithAllThatIsInIt() throws IOException {
        assertThat(outcomes(disk -> put(disk, A, "hello", true))).containsExactlyInAnyOrder("", "a=hello");
    }

    @Test
    void losesADirectoryThatWasNotForced() throws IOException {
        SimulatedDisk found = disk(3);
        found.createDirectories(DIRECTORY);
        found.forceDirectory(DIRECTORY);
        Set<Boolean> outcomes = new TreeSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedDisk disk = disk(seed);
            disk.createDirectories(DIRECTORY);
            outcomes.add(disk.crash().exists(DIRECTORY));
        }
        assertThat(outcomes).containsExactly(false, true);
    }

    @Test
    void keepsLosesCutsAndHolesContentThatWasNotForced() throws IOException {
        String page = "p".repeat(64);
        Set<String> outcomes = outcomes(disk -> {
            put(disk, A, "", true);
            disk.forceDirectory(DIRECTORY);
            write(disk.open(A, Disk.Mode.WRITE), 0, page + page);
        });
        assertThat(outcomes)
                .contains("a=", "a=" + page + page, "a=" + page + "\0".repeat(64), "a=" + "\0".repeat(64) + page)
                .anyMatch(outcome -> outcome.matches("a=p+") && outcome.length() < 64);
    }

    @Test
    void undoesNamesFromTheLastOneBackwards() throws IOException {
        assertThat(outcomes(disk -> {
                    put(disk, A, "1", true);
                    disk.forceDirectory(DIRECTORY);
                    put(disk, DIRECTORY.resolve("b"), "2", true);
                    disk.rename(DIRECTORY.resolve("b"), A);
                    put(disk, DIRECTORY.resolve("c"), "3", true);
                    disk.delete(A);
                }))
                .containsExactlyInAnyOrder("a=1", "a=1 b=2", "a=2", "a=2 c=3", "c=3");
    }

    @Test
    void forgetsUnwrittenPagesThatAFailedForceMarkedClean() throws IOException {
        Set<String> outcomes = outcomes(disk -> {
            Disk.File file = put(disk, A, "x", true);
            disk.forceDirectory(DIRECTORY);
            write(file, 1, "yz");
            disk.failAtCall(disk.calls() + 1, DiskFault.MARKED_CLEAN);
            assertThatThrownBy(file::force).isInstanceOf(IOException.class);
            file.force();
            assertThat(contents(disk)).isEqualTo("a=xyz");
        });
        assertThat(outcomes).contains("a=x", "a=xyz", "a=xy");
    }

    @Test
    void keepsTheCacheWhenOnlyTheProcessIsKilled() throws IOException {
        put(disk, A, "hello", false);
        disk.lock(DIRECTORY.resolve("lock"), "me");
        SimulatedDisk next = disk.kill();
        assertThat(contents(next)).isEqualTo("a=hello lock=me");
        next.lock(DIRECTORY.resolve("lock"), "you").close();
    }

    @Test
    void refusesEverythingAProcessAsksForAfterItsEnd() throws IOException {
        Disk.File file = put(disk, A, "hello", true);
        disk.crash();
        assertThatThrownBy(file::force).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> disk.list(DIRECTORY)).isInstanceOf(IOException.class);
    }

    @Test
    void failsTheCallThatWasNamedBeforeOrAfterItHappened() throws IOException {
        for (DiskFault fault : List.of(DiskFault.REFUSED, DiskFault.LANDED)) {
            SimulatedDisk failing = disk(1);
            prepare(failing);
            put(failing, A, "x", true);
            failing.failAtCall(failing.calls() + 2, fault);
            assertThat(failing.exists(A)).isTrue();
            assertThatThrownBy(() -> failing.delete(A)).isInstanceOf(IOException.class);
            assertThat(failing.exists(A)).isEqualTo(fault == DiskFault.REFUSED);
        }
    }

    @Test
    void failsACallOfAKindUntilItIsMended() throws IOException {
        disk.fail(DiskCall.LIST);
        assertThatThrownBy(() -> disk.list(DIRECTORY)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> disk.list(DIRECTORY)).isInstanceOf(IOException.class);
        disk.mend();
        assertThat(disk.list(DIRECTORY)).isEmpty();
        assertThat(disk.calls(DiskCall.LIST)).isEqualTo(3);
    }

    @Test
    void takesAsManyBytesAsThereIsRoomFor() throws IOException {
        put(disk, A, "hello", true);
        disk.capacity(8);
        Disk.File file = disk.open(A, Disk.Mode.WRITE);
        write(file, 0, "HELLO");
        assertThatThrownBy(() -> write(file, 5, "world")).isInstanceOf(IOException.class);
        assertThat(contents(disk)).isEqualTo("a=HELLOwor");
        disk.delete(A);
        put(disk, DIRECTORY.resolve("b"), "12345678", true);
        assertThat(disk.events()).containsEntry(DiskEvent.OUT_OF_SPACE, 1L);
    }

    @Test
    void doesTheSameForTheSameSeed() throws IOException {
        for (long seed = 0; seed < 20; seed++) {
            SimulatedDisk one = disk(seed);
            SimulatedDisk other = disk(seed);
            for (SimulatedDisk each : List.of(one, other)) {
                prepare(each);
                put(each, A, "x".repeat(300), false);
            }
            assertThat(contents(one.crash())).isEqualTo(contents(other.crash()));
        }
    }
}
