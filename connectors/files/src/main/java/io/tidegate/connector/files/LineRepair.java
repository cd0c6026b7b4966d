package io.tidegate.connector.files;

import io.tidegate.spi.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds out how much of a file counts when only its content can say: the process that wrote it is gone. A line counts if it
 * ends, and if neither it nor a line before it holds a zero byte: text has none, so there a page was never written.
 */
final class LineRepair {

    private static final int CHUNK_BYTES = 1 << 20;

    private LineRepair() {}

    /**
     * Cuts the file behind the last line that counts and makes all before it durable.
     *
     * <p>What is read is written again first. A process that died right after a failed force leaves pages that the kernel
     * takes for written; only new writes make the force true (I8). They change nothing, so tearing them does no harm.
     *
     * @return the length that is left
     */
    static long repair(Disk.File file) throws IOException {
        long size = file.size();
        long end = end(file, size);
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, Math.max(1, end)));
        for (long at = 0; at < end; ) {
            read(file, at, end, chunk);
            int count = chunk.remaining();
            file.write(at, chunk);
            at += count;
        }
        if (end < size) {
            file.truncate(end);
        }
        if (size > 0) {
            file.force();
        }
        return end;
    }

    private static long end(Disk.File file, long size) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, Math.max(1, size)));
        long end = 0;
        for (long at = 0; at < size; at += chunk.limit()) {
            read(file, at, size, chunk);
            byte[] bytes = chunk.array();
            for (int i = 0; i < chunk.limit(); i++) {
                if (bytes[i] == '\n') {
                    end = at + i + 1;
                } else if (bytes[i] == 0) {
                    return end;
                }
            }
        }
        return end;
    }

    private static void read(Disk.File file, long at, long end, ByteBuffer chunk) throws IOException {
        chunk.clear().limit((int) Math.min(chunk.capacity(), end - at));
        file.read(at, chunk);
        chunk.flip();
        if (!chunk.hasRemaining()) {
            throw new IOException("the file became shorter while it was read");
        }
    }
}
