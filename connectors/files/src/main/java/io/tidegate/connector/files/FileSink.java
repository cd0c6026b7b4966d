package io.tidegate.connector.files;

import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TidegateException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Writes lines to files. Between sessions it keeps one thing: how far this process forced each file (I8). That is
 * void when another process had the folder in between, which the text in the lock file shows.
 */
final class FileSink implements Sink {

    private static final int HOLDER_BYTES_MAX = 1024;

    private final FileLayout layout;
    private final Rotation rotation;
    private final ForcedLengths lengths = new ForcedLengths();
    private final String holder = "process " + ProcessHandle.current().pid() + ", " + UUID.randomUUID();

    FileSink(FileLayout layout, Rotation rotation) {
        this.layout = layout;
        this.rotation = rotation;
    }

    @Override
    public List<Finding> check() {
        Path there = layout.folder().toAbsolutePath().normalize();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        if (!Files.isDirectory(there)) {
            return List.of(Finding.error(
                    ErrorCode.PREFLIGHT, there.toString(), "It is not a folder.", "Choose another 'path'."));
        }
        if (!Files.isWritable(there)) {
            return List.of(Finding.error(
                    ErrorCode.PREFLIGHT,
                    there.toString(),
                    "This user may not write into it.",
                    "Give the right to write, or choose another 'path'."));
        }
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        Disk disk = context.disk();
        try {
            Folders.create(disk, layout.folder());
            boolean ours = lastHolder(disk).equals(holder);
            Closeable lock = disk.lock(layout.lock(), holder);
            if (!ours) {
                lengths.forgetAll();
            }
            LineStreams streams = new LineStreams(disk, layout, lengths, context.nanoTime());
            try {
                streams.recover();
            } catch (IOException | RuntimeException e) {
                abandon(streams, lock, e);
                throw e;
            }
            return new FileSinkSession(context, rotation, streams, lock);
        } catch (Disk.HeldException e) {
            throw new TidegateException(
                    ErrorCode.STATE_HELD, "the files in " + layout.folder() + " are in use: " + e.getMessage(), e);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private static void abandon(LineStreams streams, Closeable lock, Exception cause) {
        try (lock) {
            streams.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private String lastHolder(Disk disk) throws IOException {
        if (!disk.exists(layout.lock())) {
            return "";
        }
        try (Disk.File file = disk.open(layout.lock(), Disk.Mode.READ)) {
            ByteBuffer text = ByteBuffer.allocate(HOLDER_BYTES_MAX);
            file.read(0, text);
            return StandardCharsets.UTF_8.decode(text.flip()).toString().strip();
        }
    }

    static TidegateException failure(IOException cause) {
        String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return new TidegateException(ErrorCode.SINK_FAILED, "cannot write to the files: " + reason, cause);
    }
}
