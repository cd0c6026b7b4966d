package io.tidegate.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Disk;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    private static FileStateStore.Options stored(String resource) throws IOException {
        SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
        disk.createDirectories(FOLDER);
        try (InputStream in = StateFormatsTest.class.getResourceAsStream("/state/" + resource);
                Disk.File file = disk.open(FOLDER.resolve("state-0000000001.log"), Disk.Mode.CREATE)) {
            file.write(0, ByteBuffer.wrap(in.readAllBytes()));
            file.force();
        }
        disk.forceDirectory(FOLDER);
        return new FileStateStore.Options(disk, Path.of("/state"), "orders", POSITIONS);
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
}
