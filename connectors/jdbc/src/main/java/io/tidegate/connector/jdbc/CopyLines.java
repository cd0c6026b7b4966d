package io.tidegate.connector.jdbc;

import io.tidegate.spi.ByteBuilder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Rows in the text form of {@code COPY} (documentation, "COPY", "Text Format"), sent while they are made. */
final class CopyLines {

    private static final int PART_BYTES = 1 << 16;

    private CopyLines() {}

    /** Sends rows and waits until the server has taken all of them. */
    static void send(Connection connection, String sql, List<Integer> columns, List<Object[]> rows)
            throws SQLException {
        int[] order = columns.stream().mapToInt(Integer::intValue).toArray();
        CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
        try {
            ByteBuilder part = new ByteBuilder(PART_BYTES);
            for (Object[] row : rows) {
                append(row, order, part);
                if (part.length() >= PART_BYTES) {
                    copy.writeToCopy(part.array(), 0, part.length());
                    part.clear();
                }
            }
            copy.writeToCopy(part.array(), 0, part.length());
            copy.endCopy();
        } finally {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
    }

    static void append(Object[] row, int[] columns, ByteBuilder out) {
        for (int i = 0; i < columns.length; i++) {
            if (i > 0) {
                out.put('\t');
            }
            @Nullable Object cell = row[columns[i]];
            if (cell == null) {
                out.ascii("\\N");
            } else {
                append((String) cell, out);
            }
        }
        out.put('\n');
    }

    /** A backslash before itself, and in place of what could end a line or a column; the rest as it is. */
    private static void append(String text, ByteBuilder out) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int clean = 0;
        for (int i = 0; i < utf8.length; i++) {
            byte b = utf8[i];
            if (b == '\\' || (b <= '\r' && b >= '\t')) {
                out.put(utf8, clean, i - clean).put('\\').put(escape(b));
                clean = i + 1;
            }
        }
        out.put(utf8, clean, utf8.length - clean);
    }

    /** The letters of {@code \t \n \v \f \r}, which follow each other in ASCII; a backslash is itself. */
    private static int escape(byte b) {
        return b == '\\' ? b : "tnvfr".charAt(b - '\t');
    }
}
