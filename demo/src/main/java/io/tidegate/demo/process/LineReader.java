package io.tidegate.demo.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Cuts a stream into lines. What stands behind the last line end is no line: its writer was killed while writing it. */
final class LineReader {

    private static final int PIECE_BYTES = 1 << 16;

    private final InputStream input;

    LineReader(InputStream input) {
        this.input = input;
    }

    /** Takes lines, each with its line end, and is told when none is waiting. */
    interface Lines {
        void line(byte[] withEnd);

        void pause();
    }

    /** Returns at the end of the stream. */
    void readAll(Lines lines) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        ByteArrayOutputStream begun = new ByteArrayOutputStream();
        for (int count = input.read(piece); count >= 0; count = input.read(piece)) {
            int from = 0;
            for (int i = 0; i < count; i++) {
                if (piece[i] == '\n') {
                    begun.write(piece, from, i + 1 - from);
                    lines.line(begun.toByteArray());
                    begun.reset();
                    from = i + 1;
                }
            }
            begun.write(piece, from, count - from);
            lines.pause();
        }
    }
}
