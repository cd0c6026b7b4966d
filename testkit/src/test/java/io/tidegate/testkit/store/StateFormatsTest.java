package io.tidegate.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.engine.store.FileStateStore;
import io.tidegate.engine.store.StateText;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A state file of every format so far opens, goes on, and is carried over by export and import. */
class StateFormatsTest {

    private static final Path FOLDER = Path.of("/state/orders");

    /** Positions are their text. */
    private record Text(String text) implements Position {}

    private static final Positions POSITIONS = new Positions() {
        @Override
        public String print(Position position) {
            return ((Text) position).text();
        }

        @Override
        public Position parse(String text) {
            return new Text(text);
        }

        @Override
        public int compare(Position left, Position right) {
            return print(left).compareTo(print(right));
        }
    };

    private static FileStateStore.Options empty() {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
        return new FileStateStore.Options(disk, Path.of("/state"), "orders", POSITIONS);
    }

    private static FileStateStore.Options stored(String resource) throws IOException {
        return storedText(text(resource));
    }

    private static FileStateStore.Options storedText(String content) throws IOException {
        FileStateStore.Options options = empty();
        Disk disk = options.disk();
        disk.createDirectories(FOLDER);
        try (Disk.File file = disk.open(FOLDER.resolve("state-0000000001.log"), Disk.Mode.CREATE)) {
            file.write(0, ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)));
            file.force();
        }
        disk.forceDirectory(FOLDER);
        return options;
    }

    private static String content(Disk disk, String name) throws IOException {
        try (Disk.File file = disk.open(FOLDER.resolve(name), Disk.Mode.READ)) {
            ByteBuffer content = ByteBuffer.allocate((int) file.size());
            file.read(0, content);
            return new String(content.array(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @CsvSource({"format-1.log, ''", "format-2.log, 7340512098713/0/16B3748"})
    void opensGoesOnAndReadsBackWhatItWrote(String resource, String lineage) throws IOException {
        FileStateStore.Options options = stored(resource);
        SplitPlan log = new SplitPlan("log-1", List.of("orders-1"), new Text("0/16B3748"), "", lineage);

        try (FileStateStore store = FileStateStore.open(options, "me")) {
            Checkpoint read = store.read();
            assertThat(read.source().get("postgres.system")).isEqualTo("7340512098713");
            assertThat(read.splits()).hasSize(2);
            assertThat(read.splits().get(0).progress().done()).isTrue();
            assertThat(read.splits().get(1).plan()).isEqualTo(log);
            assertThat(read.splits().get(1).progress().position()).isEqualTo(new Text("0/16B9A10"));
            store.progress(List.of(), List.of(new SplitProgress("log-1", new Text("0/16BFFFF"), false)));
        }

        Checkpoint later = FileStateStore.show(options);
        assertThat(later.splits().get(1).plan()).isEqualTo(log);
        assertThat(later.splits().get(1).progress().position()).isEqualTo(new Text("0/16BFFFF"));
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = StateFormatsTest.class.getResourceAsStream("/state/" + resource)) {
            assertThat(in)
                    .as(
                            "there is no sample of it: keep what this version writes as src/test/resources/state/%s",
                            resource)
                    .isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The format that is written now. */
    private static int current() {
        String document = StateText.export("orders", Checkpoint.EMPTY, POSITIONS);
        return Integer.parseInt(document.replaceAll("(?s).*\"tidegate_state\":([0-9]+).*", "$1"));
    }

    static IntStream formats() {
        return IntStream.rangeClosed(1, current());
    }

    private static Checkpoint read(FileStateStore.Options options) {
        return FileStateStore.show(options);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void hasASampleOfEachFormatSoFarAsFileAndAsDocument(int format) throws IOException {
        assertThat(text("format-" + format + ".log")).startsWith("tidegate state, format " + format + "\n");
        assertThat(text("export-" + format + ".json")).contains("\"tidegate_state\":" + format + ",");
        Checkpoint ofFile = read(stored("format-" + format + ".log"));
        assertThat(StateText.parse(text("export-" + format + ".json"), "orders", POSITIONS))
                .isEqualTo(ofFile);
    }

    @Test
    void writesTheSampleOfTheNewestFormatToTheByte() throws IOException {
        Checkpoint state = read(stored("format-" + current() + ".log"));
        assertThat(StateText.export("orders", state, POSITIONS)).isEqualTo(text("export-" + current() + ".json"));
        FileStateStore.Options fresh = empty();
        String sample = text("format-" + current() + ".log");
        Checkpoint first = read(storedText(sample.lines().limit(3).collect(Collectors.joining("\n", "", "\n"))));
        try (FileStateStore store = FileStateStore.open(fresh, "me")) {
            store.importState(first);
            store.progress(List.of(), List.of(new SplitProgress("orders-1", null, true)));
            store.progress(List.of(), List.of(new SplitProgress("log-1", new Text("0/16B9A10"), false)));
        }
        assertThat(content(fresh.disk(), "state-0000000001.log")).isEqualTo(sample);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void isCarriedElsewhereByExportAndImportWhateverFormatItHas(int format) throws IOException {
        Checkpoint state = read(stored("format-" + format + ".log"));
        String document = StateText.export("orders", state, POSITIONS);
        FileStateStore.Options elsewhere = empty();
        try (FileStateStore store = FileStateStore.open(elsewhere, "me")) {
            store.importState(StateText.parse(document, "orders", POSITIONS));
        }
        assertThat(read(elsewhere)).isEqualTo(state);
        assertThat(StateText.export("orders", read(elsewhere), POSITIONS)).isEqualTo(document);
        assertThat(content(elsewhere.disk(), "state-0000000001.log"))
                .as("in the newest format")
                .startsWith("tidegate state, format " + current() + "\n");
    }

    @ParameterizedTest
    @MethodSource("formats")
    void keepsTheFileOfAnEarlierVersionAsItWasBesideItsOwn(int format) throws IOException {
        FileStateStore.Options options = stored("format-" + format + ".log");
        try (FileStateStore store = FileStateStore.open(options, "me")) {
            assertThat(store.read().splits()).hasSize(2);
        }
        assertThat(content(options.disk(), "state-0000000001.log")).isEqualTo(text("format-" + format + ".log"));
        assertThat(content(options.disk(), "state-0000000002.log"))
                .startsWith("tidegate state, format " + current() + "\n");
    }

    /** Every kind of split: with and without start, position, lineage and parents, done and not, fresh or long read. */
    @Test
    void roundTripsEveryKindOfSplitByExportAndImport() {
        Set<String> kinds = new TreeSet<>();
        for (long seed = 0; seed < 300; seed++) {
            Checkpoint state = anyState(new SplittableRandom(seed), kinds);
            String document = StateText.export("orders", state, POSITIONS);
            FileStateStore.Options elsewhere = empty();
            try (FileStateStore store = FileStateStore.open(elsewhere, "me")) {
                store.importState(StateText.parse(document, "orders", POSITIONS));
            }
            assertThat(read(elsewhere)).as("seed %s", seed).isEqualTo(state);
            assertThat(StateText.export("orders", read(elsewhere), POSITIONS))
                    .as("seed %s", seed)
                    .isEqualTo(document);
        }
        assertThat(kinds).as("kinds of splits").hasSize(2 * 2 * 2 * 2 * 2);
    }

    private static Checkpoint anyState(SplittableRandom choices, Set<String> kinds) {
        List<SplitState> splits = new ArrayList<>();
        List<String> done = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            String id = "s" + i;
            List<String> after = done.isEmpty() || choices.nextBoolean() ? List.of() : List.copyOf(done);
            Text start = choices.nextBoolean() ? null : new Text("5");
            SplitPlan plan = new SplitPlan(id, after, start, "", choices.nextBoolean() ? "" : "line");
            SplitState split = SplitState.fresh(plan);
            if (choices.nextInt(4) > 0) {
                Text position = choices.nextBoolean() ? start : new Text("7");
                split = new SplitState(plan, new SplitProgress(id, position, choices.nextBoolean()));
            }
            if (split.progress().done()) {
                done.add(id);
            }
            splits.add(split);
            Position position = split.progress().position();
            kinds.add((start == null) + " " + Objects.equals(position, start) + " "
                    + split.progress().done() + " " + plan.lineage().isEmpty() + " " + after.isEmpty());
        }
        return new Checkpoint(SourceRecord.EMPTY.with("a", "b"), splits);
    }

    @Test
    void changesNothingOnDiskWhenItMeetsTheFileOfALaterVersion() throws IOException {
        String later = text("format-" + current() + ".log").replace("format " + current(), "format " + (current() + 7));
        // a later version's checksums begin with its own first line, so none of its records is one of ours
        String foreign = later.replaceAll("(?m)^[0-9a-f]{8} ", "00000000 ");
        FileStateStore.Options options = storedText(foreign);
        for (int attempt = 0; attempt < 2; attempt++) {
            TidegateException refusal =
                    catchThrowableOfType(TidegateException.class, () -> FileStateStore.open(options, "me"));
            assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_NEWER);
            refusal = catchThrowableOfType(TidegateException.class, () -> FileStateStore.show(options));
            assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_NEWER);
        }
        assertThat(options.disk().list(FOLDER)).containsExactly("lock", "state-0000000001.log");
        assertThat(content(options.disk(), "state-0000000001.log")).isEqualTo(foreign);
    }
}
