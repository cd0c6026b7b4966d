package io.tidegate.connector.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * How long a statement may be, values included: {@code max_allowed_packet}. The server answers a longer one by closing the
 * connection while it is still being sent, which cannot be told from any other broken connection. So it is refused here.
 */
final class PacketLimit {

    /** ER_NET_PACKET_TOO_LARGE. */
    static final int CODE = 1153;

    private static final int TEXT_QUOTES = 2;
    private static final int BYTES_QUOTES = "_binary ''".length();
    private static final int OTHER = 8;
    private static final int TWO_BYTES = 0x80;
    private static final int THREE_BYTES = 0x800;

    /** A statement that is not sent. */
    static final class Exceeded extends SQLException {

        private static final long serialVersionUID = 1;

        Exceeded(long size, long limit) {
            super(
                    "as a statement it takes about " + size + " bytes, and no more than " + limit + " are taken",
                    "HY000",
                    CODE);
        }
    }

    private final Connection connection;
    private long limit;

    PacketLimit(Connection connection) {
        this.connection = connection;
    }

    /** The session's limit, in bytes. */
    long bytes() throws SQLException {
        if (limit == 0) {
            limit = Sql.one(connection, "SELECT @@session.max_allowed_packet", row -> row.getLong(1));
        }
        return limit;
    }

    /** @param values what the values take, see {@link #size} */
    void check(String sql, long values) throws SQLException {
        long size = sql.length() + values;
        if (size >= bytes()) {
            throw new Exceeded(size, bytes());
        }
    }

    /** What a value takes in a statement, as the driver writes it. */
    static long size(@Nullable Object cell) {
        if (cell instanceof byte[] raw) {
            long size = BYTES_QUOTES + (long) raw.length;
            for (byte one : raw) {
                size += escaped((char) one);
            }
            return size;
        }
        if (cell instanceof String text) {
            long size = TEXT_QUOTES;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                // a surrogate is half of a character of four bytes
                size += c < TWO_BYTES ? 1 + escaped(c) : c < THREE_BYTES || Character.isSurrogate(c) ? 2 : 3;
            }
            return size;
        }
        return OTHER;
    }

    private static int escaped(char c) {
        return c == '\'' || c == '"' || c == '\\' || c == 0 ? 1 : 0;
    }
}
