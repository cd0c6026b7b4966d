package io.tidegate.simulation.check;

import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Disk;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads what the file sink wrote, as a consumer would: a line counts if it ends and no page before it is missing. */
public final class WrittenFiles {

    /** Where the file sink writes. */
    public static final Path FOLDER = Path.of("/out");

    private final Stage stage;
    private final Ledger ledger;

    public WrittenFiles(Stage stage, Ledger ledger) {
        this.stage = stage;
        this.ledger = ledger;
    }

    /** All lines, file by file. */
    public List<Line> lines(SimulatedDisk disk) {
        List<Line> lines = new ArrayList<>();
        try {
            walk(disk, FOLDER, lines);
        } catch (IOException e) {
            throw new IllegalStateException("a disk without faults fails", e);
        }
        return lines;
    }

    private void walk(SimulatedDisk disk, Path folder, List<Line> into) throws IOException {
        for (String name : disk.list(folder)) {
            Path path = folder.resolve(name);
            if (name.endsWith(".jsonl") || name.endsWith(".open")) {
                read(disk, path, into);
            } else if (!name.endsWith(".lock")) {
                walk(disk, path, into);
            }
        }
    }

    private void read(SimulatedDisk disk, Path path, List<Line> into) throws IOException {
        String content;
        try (Disk.File file = disk.open(path, Disk.Mode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(0, bytes);
            content = new String(bytes.array(), StandardCharsets.ISO_8859_1);
        }
        int zero = content.indexOf(0);
        String whole = zero < 0 ? content : content.substring(0, zero);
        boolean finished = path.toString().endsWith(".jsonl");
        stage.check(
                !finished || (zero < 0 && (whole.isEmpty() || whole.endsWith("\n"))),
                "I8",
                () -> "the finished file " + path + " is torn");
        int from = 0;
        for (int end = whole.indexOf('\n'); end >= 0; end = whole.indexOf('\n', from)) {
            String line = whole.substring(from, end);
            from = end + 1;
            Line parsed = Line.parse(line).orElse(null);
            if (parsed == null) {
                throw stage.violate("I8", "a torn line in " + path + ": " + line);
            }
            into.add(parsed);
        }
    }

    /** Everything that was called durable is there. */
    public void checkDurable(SimulatedDisk disk) {
        ledger.checkAllIn(stage, lines(disk));
    }
}
