package io.tidegate.engine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.DiskCall;
import io.tidegate.testkit.disk.SimulatedDisk;
import io.tidegate.testkit.fake.NumberPositions;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a state file's bytes is a record: at the edges, where chance does not come. */
class StateFileTest {

    private static final Path FILE = Path.of("state-0000000003.log");
    private static final String HEADER = "{\"pipeline\":\"orders\",\"generation\":3}";
    private static final NumberPositions POSITIONS = new NumberPositions();
    private static final Checkpoint STATE = new Checkpoint(
            SourceRecord.EMPTY.with("a", "b"),
            List.of(SplitState.fresh(new SplitPlan("log", List.of(), new NumberPositions.Place(1), ""))));

    private final StateFile format = new StateFile("orders", 3, POSITIONS);

    /** A line with a right checksum, whatever else is in it. */
    private static byte[] line(String rest) {
        CRC32C sum = new CRC32C();
        sum.update("tidegate state, format 2\n".getBytes(StandardCharsets.US_ASCII));
        sum.update(HEADER.getBytes(StandardCharsets.UTF_8));
        sum.update(rest.getBytes(StandardCharsets.ISO_8859_1));
        return (String.format(Locale.ROOT, "%08x", sum.getValue()) + rest).getBytes(StandardCharsets.ISO_8859_1);
    }

    private Checkpoint read(byte[]... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(format.begin(STATE));
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return format.read(FILE, bytes.toByteArray());
    }

    private void refused(String why, byte[]... parts) {
        TidegateException refusal = catchThrowableOfType(TidegateException.class, () -> read(parts));
        assertThat(refusal).as(why).isNotNull();
        assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_DAMAGED);
        assertThat(refusal).hasMessageContaining(why);
    }

    @Test
    void readsALineThatIsMadeAsTheFormatSays() {
        byte[] moved = format.record(
                2,
                new StateWrite.Progressed(
                        List.of(), List.of(new SplitProgress("log", new NumberPositions.Place(7), false))));
        String text = new String(moved, StandardCharsets.ISO_8859_1);
        assertThat(line(text.substring(8))).isEqualTo(moved);
        assertThat(read(moved).splits().get(0).progress().position()).isEqualTo(new NumberPositions.Place(7));
        assertThat(read()).isEqualTo(STATE);
    }

    @Test
    void refusesAWholeRecordWithoutContent() {
        refused("record 2 cannot be used", line(" 0000000000 0000000002 \n"));
    }

    @Test
    void refusesARecordThatIsNotText() {
        refused("the record there is not text", line(" 0000000001 0000000002 \u00ff\n"));
    }

    @Test
    void refusesARecordWithSomethingBehindItsContent() {
        String behind = "{\"type\":\"progress\",\"planned\":[],\"progress\":[]}x";
        refused("expected the end", line(" 00000000" + behind.length() + " 0000000002 " + behind + "\n"));
    }

    @Test
    void refusesARecordOfAKindThatIsNotKnown() {
        refused("a record of type \"x\" is not known", line(" 0000000012 0000000002 {\"type\":\"x\"}\n"));
    }

    @Test
    void refusesAWholeCheckpointThatIsNotTheFirstRecord() {
        byte[] whole = format.record(2, new StateWrite.Whole(STATE));
        refused("a whole checkpoint is the first record and no other", whole);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " 000000000/ 0000000002 \n", " 000000000: 0000000002 \n", " 0000000000x0000000002 \n",
                "x0000000000 0000000002 \n", " 0000000000 0000000002x\n", " 0000000000 0000000002 x",
                " 0000000001 0000000002 \n", " 9999999999 0000000002 \n"
            })
    void takesATailThatIsNoRecordForTornWhateverItsChecksum(String rest) {
        assertThat(read(line(rest))).isEqualTo(STATE);
        refused("and a whole one follows", line(rest), line(" 0000000000 0000000003 \n"));
    }

    @ParameterizedTest
    @CsvSource({"0", "3", "-1"})
    void knowsNoOtherFormats(long number) {
        assertThatThrownBy(() -> new StateText(POSITIONS, number)).hasMessageContaining("is not known, only 1 to 2");
    }

    /** Its positions do not come back from their text. */
    @Test
    void writesNoPositionThatWouldBeReadAsAnotherOne() {
        NumberPositions good = new NumberPositions();
        io.tidegate.spi.Positions bad = new io.tidegate.spi.Positions() {
            @Override
            public String print(Position position) {
                return "12";
            }

            @Override
            public Position parse(String text) {
                return good.parse(text);
            }

            @Override
            public int compare(Position left, Position right) {
                return good.compare(left, right);
            }
        };
        assertThatThrownBy(() -> StateText.export("orders", STATE, bad))
                .hasMessageContaining("the position 12 is not what its text says");
    }

    private static FileStateStore.Options options(SimulatedDisk disk) {
        return new FileStateStore.Options(disk, Path.of("/a/b"), "orders", POSITIONS);
    }

    @Test
    void forcesTheNameOfEachDirectoryThatItMakesAndOfTheOneThatIsThere() {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
        FileStateStore.open(options(disk), "me").close();
        assertThat(disk.calls(DiskCall.CREATE_DIRECTORIES))
                .as("/a, /a/b, /a/b/orders")
                .isEqualTo(3);
        assertThat(disk.calls(DiskCall.FORCE_DIRECTORY)).isEqualTo(3);
        FileStateStore.open(options(disk), "me").close();
        assertThat(disk.calls(DiskCall.FORCE_DIRECTORY))
                .as("again, of the lowest")
                .isEqualTo(4);
    }

    @Test
    void closesTheFileThatItLeavesAlone() {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
        try (FileStateStore store = FileStateStore.open(options(disk), "me")) {
            store.importState(STATE);
            long closed = disk.calls(DiskCall.CLOSE);
            disk.fail(DiskCall.FORCE);
            disk.fail(DiskCall.CLOSE);
            TidegateException failure =
                    catchThrowableOfType(TidegateException.class, () -> store.progress(List.of(), List.of()));
            assertThat(failure.getCause().getSuppressed())
                    .as("that it could not be closed")
                    .hasSize(1);
            assertThat(disk.calls(DiskCall.CLOSE)).isEqualTo(closed + 1);
            failure = catchThrowableOfType(TidegateException.class, () -> store.progress(List.of(), List.of()));
            assertThat(failure.getCause().getSuppressed())
                    .as("of the new generation")
                    .hasSize(1);
            assertThat(disk.calls(DiskCall.CLOSE)).isEqualTo(closed + 2);
            disk.mend();
        }
    }

    @Test
    void isNotWrittenToAfterItsEnd() {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
        FileStateStore store = FileStateStore.open(options(disk), "me");
        store.close();
        assertThatThrownBy(() -> store.importState(STATE)).hasMessageContaining("a closed state store is written to");
    }

    @Test
    void takesAKnownPlanThatIsPlannedAgain() {
        StateWrite again =
                new StateWrite.Progressed(List.of(STATE.splits().get(0).plan()), List.of());
        assertThat(CheckpointBuilder.apply(STATE, again, POSITIONS)).isEqualTo(STATE);
    }
}
