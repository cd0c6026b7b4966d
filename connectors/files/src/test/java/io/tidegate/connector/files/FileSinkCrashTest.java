package io.tidegate.connector.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidegate.spi.Change;
import io.tidegate.spi.Disk;
import io.tidegate.spi.Op;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.DiskCall;
import io.tidegate.testkit.disk.DiskEvent;
import io.tidegate.testkit.disk.DiskFault;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every settled line survives, every line parses: whichever call a loss of power, a kill or a failure meets. */
class FileSinkCrashTest {

    private static final Path FOLDER = Path.of("/data/out");
    private static final int BATCHES = 9;
    private static final int CALLS_APART_MAX = 30;
    private static final List<TableSchema> TABLES =
            List.of(Lines.table("public", "order"), Lines.table("public", "Order"));

    private final ObjectMapper mapper = new ObjectMapper();

    private static FileSink sink(boolean apart) {
        return new FileSink(new FileLayout(FOLDER, "p", apart), new Rotation(900, Optional.empty()));
    }

    /** Delivers what is not settled in one session; true when all is settled. */
    private static boolean session(FileSink sink, Disk disk, Set<Integer> settled) {
        Lines context = new Lines(disk);
        try (SinkSession session = sink.open(context)) {
            for (int i = 0; i < BATCHES; i++) {
                if (!settled.contains(i)) {
                    Change one = Lines.change(Op.CREATE, TABLES.get(i % 2), 2 * i, "é".repeat(40 + 9 * i));
                    Change two = Lines.change(Op.CREATE, TABLES.get((i / 2) % 2), 2 * i + 1, "ü");
                    session.accept(Lines.batch(i, one, two));
                    if (i % 3 == 1) {
                        session.flush();
                    }
                }
            }
            session.flush();
        } catch (TidegateException e) {
            assertThat(e.code().code()).isEqualTo("TG-SINK-FAILED");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            settled.addAll(context.durable);
        }
        return settled.size() == BATCHES;
    }

    private static void walk(Disk disk, Path folder, List<Path> into) throws IOException {
        for (String name : disk.list(folder)) {
            Path path = folder.resolve(name);
            if (name.endsWith(".jsonl") || name.endsWith(".open")) {
                into.add(path);
            } else if (!name.endsWith(".lock")) {
                walk(disk, path, into);
            }
        }
    }

    /** Reads every file; in those that are not finished the last line may be torn unless {@code repaired}. */
    private void check(SimulatedDisk disk, Set<Integer> settled, boolean repaired, String what) throws IOException {
        List<Path> files = new ArrayList<>();
        walk(disk, FOLDER, files);
        Set<Integer> present = new TreeSet<>();
        for (Path path : files) {
            String content = read(disk, path);
            boolean whole = repaired || path.toString().endsWith(".jsonl");
            if (whole) {
                assertThat(content.isEmpty() || content.endsWith("\n"))
                        .as("%s: %s", what, path)
                        .isTrue();
            }
            for (String line : content.split("\n", -1)) {
                if (whole) {
                    JsonNode node = line.isEmpty() ? null : mapper.readTree(line);
                    if (node != null) {
                        present.add(node.at("/after/id").intValue());
                    }
                } else if (line.startsWith("{") && line.endsWith("}}") && line.indexOf(0) < 0) {
                    present.add(mapper.readTree(line).at("/after/id").intValue());
                }
            }
        }
        for (int i : settled) {
            assertThat(present).as("%s: batch %s is settled", what, i).contains(2 * i, 2 * i + 1);
        }
    }

    private static String read(Disk disk, Path path) throws IOException {
        try (Disk.File file = disk.open(path, Disk.Mode.READ)) {
            ByteBuffer content = ByteBuffer.allocate((int) file.size());
            file.read(0, content);
            return new String(content.array(), StandardCharsets.UTF_8);
        }
    }

    private void finish(FileSink sink, SimulatedDisk disk, Set<Integer> settled, String what) throws IOException {
        boolean all = session(sink, disk, settled);
        assertThat(all).as("%s: everything settles once nothing fails", what).isTrue();
        check(disk, settled, true, what);
        check(disk.crash(), settled, true, what + ", then a loss of power");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everySettledLineSurvivesAnEndAtAnyCall(boolean apart) throws IOException {
        Set<DiskEvent> seen = EnumSet.noneOf(DiskEvent.class);
        for (int seed = 0; seed < 12; seed++) {
            boolean power = seed % 3 != 0;
            long calls = Long.MAX_VALUE;
            for (long at = 1; at <= calls; at++) {
                SimulatedDisk disk = new SimulatedDisk(new Random(seed * 1000L + at));
                disk.dieAtCall(at);
                Set<Integer> settled = new TreeSet<>();
                calls = session(sink(apart), disk, settled) ? at : Long.MAX_VALUE;
                SimulatedDisk next = power ? disk.crash() : disk.kill();
                String what = "seed " + seed + ", end at call " + at;
                check(next, settled, false, what);
                finish(sink(apart), next, settled, what);
                seen.addAll(next.events().keySet());
            }
        }
        assertThat(seen).contains(DiskEvent.CONTENT_CUT, DiskEvent.PAGES_LOST, DiskEvent.NAMES_LOST);
    }

    /** The number of the call that takes the lock: one that was taken and says that it failed is no lock of any system. */
    private static long lockCall() {
        long at = 0;
        SimulatedDisk disk;
        do {
            at++;
            disk = new SimulatedDisk(new Random(1));
            disk.dieAtCall(at);
            session(sink(false), disk, new TreeSet<>());
        } while (disk.calls(DiskCall.LOCK) == 0);
        return at;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterAFailureOfAnyCallTheNextSessionOrProcessGoesOn(boolean apart) throws IOException {
        long lockCall = lockCall();
        for (DiskFault fault : DiskFault.values()) {
            for (int variant = 0; variant < 3; variant++) {
                long calls = Long.MAX_VALUE;
                for (long at = 1; at <= calls; at++) {
                    if (at == lockCall) {
                        continue;
                    }
                    SimulatedDisk disk = new SimulatedDisk(new Random(at * 31 + variant));
                    disk.failAtCall(at, fault);
                    FileSink sink = sink(apart);
                    Set<Integer> settled = new TreeSet<>();
                    session(sink, disk, settled);
                    calls = disk.calls() < at ? at : Long.MAX_VALUE;
                    String what = fault + " of call " + at + ", variant " + variant;
                    switch (variant) {
                        case 0 -> finish(sink, disk, settled, what);
                        case 1 -> finish(sink(apart), disk.kill(), settled, what);
                        default -> finish(sink(apart), disk.crash(), settled, what);
                    }
                }
            }
        }
    }

    /** One failure often hides behind the repair of another: a cut that the cache shows may not be on the disk. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterTwoFailuresOfAnyCallsTheNextSessionGoesOn(boolean apart) throws IOException {
        long lockCall = lockCall();
        long calls = Long.MAX_VALUE;
        for (long first = 1; first <= calls; first++) {
            for (long second = first + 1; second <= first + CALLS_APART_MAX; second++) {
                SimulatedDisk disk = new SimulatedDisk(new Random(first * 1000 + second));
                if (first != lockCall) {
                    disk.failAtCall(first, DiskFault.REFUSED);
                }
                disk.failAtCall(second, DiskFault.MARKED_CLEAN);
                FileSink sink = sink(apart);
                Set<Integer> settled = new TreeSet<>();
                session(sink, disk, settled);
                session(sink, disk, settled);
                calls = disk.calls() < first ? first : calls;
                disk.mend();
                finish(sink, disk, settled, "failures of calls " + first + " and " + second);
            }
        }
    }

    @Test
    void aFileWhoseForceFailedIsFinishedAtItsForcedLengthAndNeverAppendedTo() throws Exception {
        SimulatedDisk disk = new SimulatedDisk(new Random(1));
        FileSink sink = new FileSink(new FileLayout(FOLDER, "p", false), new Rotation(1 << 20, Optional.empty()));
        Lines context = new Lines(disk);
        try (SinkSession session = sink.open(context)) {
            session.accept(Lines.batch(0, Lines.change(Op.CREATE, TABLES.get(0), 0, "x")));
            session.flush();
            session.accept(Lines.batch(1, Lines.change(Op.CREATE, TABLES.get(0), 1, "x")));
            disk.fail(DiskCall.FORCE);
            assertThatThrownBy(session::flush).isInstanceOf(TidegateException.class);
        }
        disk.mend();
        try (SinkSession session = sink.open(context)) {
            session.accept(Lines.batch(1, Lines.change(Op.CREATE, TABLES.get(0), 1, "x")));
            session.flush();
        }
        assertThat(read(disk, FOLDER.resolve("p-00000001.jsonl")).lines()).hasSize(1);
        assertThat(read(disk, FOLDER.resolve("p-00000002.jsonl.open")).lines()).hasSize(1);
        assertThat(context.durable).containsExactly(0, 1);
    }

    @Test
    void aFullDiskSettlesNothingAndWhatWasCutOffIsWrittenWholeWhenThereIsRoom() throws IOException {
        for (int room = 0; room < 3000; room += 61) {
            SimulatedDisk disk = new SimulatedDisk(new Random(room));
            FileSink sink = sink(false);
            disk.capacity(room);
            Set<Integer> settled = new TreeSet<>();
            assertThat(session(sink, disk, settled)).isFalse();
            assertThat(session(sink, disk, settled)).isFalse();
            disk.mend();
            finish(sink, disk, settled, "room for " + room);
        }
    }
}
