package io.tidegate.connector.files;

import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkConnector;
import java.time.Duration;
import java.util.List;

/** The sink {@code file}: one line of text for each change, in files of a folder. */
public final class FileConnector implements SinkConnector {

    static final Setting<String> PATH = Setting.text(
                    "path",
                    null,
                    "The folder of the files; made if it is not there. Relative to the configuration file.")
            .mandatory();

    static final Setting<String> FILES = Setting.choice(
            "files",
            "single",
            List.of("single", "table"),
            "single: all tables in one row of files; table: files of its own for each table.");

    static final Setting<Long> ROTATE_SIZE = Setting.size(
            "rotate.size",
            "256MiB",
            1 << 10,
            1L << 40,
            "A file that has reached this size is finished, and the next one begun. Batches are never cut.");

    static final Setting<Duration> ROTATE_INTERVAL = new Setting<>(
            "rotate.interval",
            Setting.Type.DURATION,
            null,
            false,
            Duration.ofSeconds(1).toMillis(),
            Duration.ofDays(366).toMillis(),
            List.of(),
            "A file that is this old, and not empty, is finished. Without it, only size counts.");

    @Override
    public String name() {
        return "file";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(PATH, FILES, ROTATE_SIZE, ROTATE_INTERVAL);
    }

    @Override
    public Sink create(Settings settings) {
        FileLayout layout = new FileLayout(
                settings.folder().resolve(settings.get(PATH)),
                FileNames.escape(settings.pipeline()),
                settings.get(FILES).equals("table"));
        return new FileSink(layout, new Rotation(settings.get(ROTATE_SIZE), settings.find(ROTATE_INTERVAL)));
    }
}
