package io.tidegate.connector.postgres.position;

import io.tidegate.spi.Origin;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where a change of a PostgreSQL source stands: in the log, or in the snapshot of an attempt. */
public sealed interface PgOrigin extends Origin {

    /**
     * A transaction, shared by its changes.
     *
     * @param xid as the log has it, 32 bits without sign; 0 for a message outside of transactions
     * @param commitLsn the start of the commit record; orders transactions (rule 12). Of a message outside of transactions
     *     its own start: it is ordered as a transaction of its own
     * @param committedAtMicros of a message outside of transactions, of which the log has no time, when the server sent it
     * @param replicationOrigin the origin's name if the transaction was replicated to this server
     */
    record Transaction(
            long xid,
            Lsn commitLsn,
            long committedAtMicros,
            @Nullable String replicationOrigin) {}

    /**
     * A change in the log. Its ordinal is the commit LSN (8 bytes) and the number (4 bytes), both big-endian; a logical
     * message adds its own number (4 bytes), so that rows have the same ordinals whether messages are asked for or not.
     *
     * @param lsn the change's own LSN; it does not order changes of different transactions
     * @param number counts the row changes of the transaction as the server sends them, from 1; of a message that of the
     *     row before it
     * @param message counts the messages of the transaction, from 1; 0: not a message
     * @param catchUp rows of the table may have been read later than this change was made (rule 8)
     */
    record Log(Transaction transaction, Lsn lsn, int number, int message, boolean catchUp) implements PgOrigin {

        @Override
        public long committedAtMicros() {
            return transaction.committedAtMicros();
        }

        @Override
        public byte[] ordinal() {
            ByteBuffer bytes = ByteBuffer.allocate(message == 0 ? 12 : 16);
            bytes.putLong(transaction.commitLsn().value()).putInt(number);
            if (message != 0) {
                bytes.putInt(message);
            }
            return bytes.array();
        }

        @Override
        public String position() {
            String row = transaction.commitLsn() + "#" + number;
            return message == 0 ? row : row + "." + message;
        }

        @Override
        public void describe(FieldVisitor fields) {
            fields.number("tx", transaction.xid());
            fields.text("lsn", lsn.toString());
            fields.text("commit_lsn", transaction.commitLsn().toString());
            fields.number("number", number);
            if (message != 0) {
                fields.number("message", message);
            }
            fields.bool("snapshot", false);
            String origin = transaction.replicationOrigin();
            if (origin != null) {
                fields.text("origin", origin);
            }
            if (catchUp) {
                fields.bool("catch_up", true);
            }
        }
    }

    /**
     * A row as a snapshot found it, or the truncate marker that begins a new attempt.
     *
     * @param point H, the consistent point of the attempt's snapshot
     * @param takenAtMicros the time of the snapshot
     * @param attempt counts the attempts at the table, from 1
     */
    record Snapshot(Lsn point, long takenAtMicros, int attempt) implements PgOrigin {

        private static final byte[] NONE = {};

        @Override
        public long committedAtMicros() {
            return takenAtMicros;
        }

        @Override
        public byte[] ordinal() {
            return NONE;
        }

        @Override
        public String position() {
            return point.toString();
        }

        @Override
        public void describe(FieldVisitor fields) {
            fields.text("lsn", point.toString());
            fields.bool("snapshot", true);
            fields.number("attempt", attempt);
        }
    }
}
