package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.connector.postgres.position.RaisedLsn;
import io.tidegate.connector.postgres.value.RelationShape;
import io.tidegate.connector.postgres.value.TableShape;
import io.tidegate.connector.postgres.value.TextRow;
import io.tidegate.connector.postgres.value.TypeCatalogue;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Op;
import io.tidegate.spi.Row;
import io.tidegate.spi.TidegateException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns messages into changes and markers. Changes have no resume position; a commit's end is a marker (I5). What it
 * holds to:
 *
 * <ul>
 *   <li>A transaction lies behind a position if and only if its commit LSN is not below it (rule 12); the others are left
 *       out, and nothing else is compared.
 *   <li>The number of a change counts what the server sent, before any filter, so it is the same in each session.
 *   <li>A change is described by the Relation that was sent last before it, never by the catalogue of now.
 * </ul>
 */
public final class PgOutputDecoder {

    private static final long POSTGRES_EPOCH_MICROS = 946_684_800_000_000L;

    /** Objects of a change beside its message: rows, arrays, headers. */
    private static final int CHANGE_OVERHEAD_BYTES = 160;

    private static final int COLUMN_OVERHEAD_BYTES = 8;

    /**
     * A table as it was described last.
     *
     * @param described null if the pipeline does not want the table, and so the shape
     * @param snapshotPoint H, if changes of commits before it are left out (rule 9); else null
     * @param catchUpPoint H, if changes of commits before it are in catch-up (rule 8); else null
     */
    private record Known(
            Relation relation,
            @Nullable RelationShape described,
            @Nullable TableShape table,
            boolean nullsLogged,
            @Nullable Lsn snapshotPoint,
            @Nullable Lsn catchUpPoint) {

        /** Whether changes of this table that were committed there are given. */
        boolean gives(Lsn commitLsn) {
            return table != null && (snapshotPoint == null || !commitLsn.isBefore(snapshotPoint));
        }
    }

    private final TypeCatalogue types;
    private final KeyCatalogue keys;
    private final TableFilter filter;
    private final CatchUp catchUp;
    private final Map<Integer, Known> relations = new HashMap<>();
    private final Map<Integer, Integer> versions = new HashMap<>();
    /** The table that was looked up last; the next change is mostly of the same. */
    private @Nullable Known last;

    private final Lsn from;
    private Lsn position;
    private @Nullable Lsn commitLsn;
    private boolean leftOut;
    private long xid;
    private long committedAtMicros;
    private @Nullable String replicationOrigin;
    private PgOrigin.@Nullable Transaction transaction;
    private int number;
    private int messages;
    private long sentAtMicros;

    /**
     * Knows no table yet.
     *
     * @param from where reading starts: transactions with a commit LSN below it are left out
     */
    public PgOutputDecoder(TypeCatalogue types, KeyCatalogue keys, TableFilter filter, CatchUp catchUp, Lsn from) {
        this.catchUp = catchUp;
        this.types = types;
        this.keys = keys;
        this.filter = filter;
        this.from = from;
        this.position = from;
    }

    /** Whether a transaction has begun and not ended. */
    public boolean inTransaction() {
        return commitLsn != null;
    }

    /** The last position given, at first where reading started. */
    public Lsn position() {
        return position;
    }

    /** Of a table that was described: its name, for people. */
    public String tableName(int oid) {
        Known known = relations.get(oid);
        return known == null
                ? "the table with OID " + Integer.toUnsignedString(oid)
                : known.relation().namespace() + "." + known.relation().name();
    }

    /** A keepalive's end: a position, unless a transaction is open or it is not beyond the last one (rule 12). */
    public void keepalive(Lsn walEnd, ChangeOutput out) {
        if (!inTransaction() && walEnd.isAfter(position)) {
            position = walEnd;
            out.marker(RaisedLsn.of(walEnd, catchUp.end()));
        }
    }

    /**
     * Gives what one message says.
     *
     * @param exclusive the array belongs to this message and may be kept
     * @param lsn where the message lies in the log
     */
    public void decode(byte[] data, int from, int length, boolean exclusive, Lsn lsn, ChangeOutput out) {
        MessageCursor message = new MessageCursor(data, from, length);
        int kind = message.int8();
        switch (kind) {
            case 'B' -> begin(message);
            case 'C' -> commit(message, out);
            case 'O' -> origin(message);
            case 'R' -> relation(Relation.parse(message));
            case 'Y' -> type(message);
            case 'I', 'U', 'D' -> row(kind, message, from, length, exclusive, lsn, out);
            case 'T' -> truncate(message, lsn, out);
            case 'M' -> message(message, lsn, out);
            default ->
                throw new TidegateException(
                        ErrorCode.MESSAGE_UNKNOWN,
                        "pgoutput sent a message of the unknown kind " + kind + " at " + lsn);
        }
    }

    private void begin(MessageCursor message) {
        if (inTransaction()) {
            throw message.malformed("a transaction begins inside another one");
        }
        Lsn commit = new Lsn(message.int64());
        committedAtMicros = message.int64() + POSTGRES_EPOCH_MICROS;
        xid = message.int32() & 0xFFFF_FFFFL;
        message.end();
        commitLsn = commit;
        leftOut = commit.isBefore(from);
        replicationOrigin = null;
        transaction = null;
        number = 0;
        messages = 0;
    }

    private void commit(MessageCursor message, ChangeOutput out) {
        Lsn begun = commitLsn(message);
        message.int8();
        Lsn commit = new Lsn(message.int64());
        Lsn end = new Lsn(message.int64());
        message.int64();
        message.end();
        if (!commit.equals(begun)) {
            throw message.malformed("the commit at " + commit + " does not end the transaction of " + begun);
        }
        commitLsn = null;
        if (end.isAfter(position)) {
            position = end;
            // a raised end of catch-up is durable with the first position beyond the change that raised it (rule 8)
            out.marker(RaisedLsn.of(end, catchUp.end()));
        }
    }

    private void origin(MessageCursor message) {
        commitLsn(message);
        message.int64();
        replicationOrigin = message.text();
        message.end();
    }

    /** Types are looked up by OID when a Relation names them. */
    private static void type(MessageCursor message) {
        message.int32();
        message.text();
        message.text();
        message.end();
    }

    private void relation(Relation relation) {
        if (!filter.captured().test(relation.oid())) {
            know(new Known(relation, null, null, true, null, null));
            return;
        }
        KeyCatalogue.Identity identity = keys.identity(relation.oid());
        RelationShape described = relation.shape(identity);
        Known before = relations.get(relation.oid());
        // sent again, as the server does after any invalidation of its cache
        TableShape table = before != null && described.equals(before.described()) ? before.table() : null;
        if (table == null) {
            int version = versions.merge(relation.oid(), 1, Integer::sum);
            table = TableShape.of(described, types, version);
        }
        Lsn snapshotPoint = filter.snapshotPoint().apply(relation.oid());
        Lsn catchUpPoint = catchUp.point(relation.oid());
        know(new Known(relation, described, table, identity.nullsLogged(), snapshotPoint, catchUpPoint));
    }

    private void know(Known table) {
        relations.put(table.relation().oid(), table);
        last = table;
    }

    private void row(
            int kind, MessageCursor message, int from, int length, boolean exclusive, Lsn lsn, ChangeOutput out) {
        Lsn commit = commitLsn(message);
        int oid = message.int32();
        number++;
        Known known = known(oid, message);
        TableShape table = known.table();
        if (leftOut || table == null || !known.gives(commit)) {
            return;
        }
        MessageCursor own = message;
        if (!exclusive) {
            byte[] copy = Arrays.copyOfRange(message.data(), from, from + length);
            own = new MessageCursor(copy, 0, length);
            own.pass(message.at() - from);
        }
        boolean catchingUp = catchUp.applies(known.catchUpPoint(), commit);
        PgOrigin.Log origin = new PgOrigin.Log(transaction(), lsn, number, 0, catchingUp);
        out.change(rowChange(kind, own, known, table, origin, length), null);
    }

    private Change rowChange(
            int kind, MessageCursor message, Known known, TableShape table, PgOrigin.Log origin, int length) {
        int columns = known.relation().columns().size();
        Tuple old = null;
        Tuple fresh = null;
        int part = message.int8();
        boolean keyOnly = part == 'K'; // of an update: its key changed
        if (kind != 'I' && (keyOnly || part == 'O')) {
            old = Tuple.parse(message, columns);
            part = kind == 'U' ? message.int8() : 0;
        }
        if (kind != 'D') {
            if (part != 'N') {
                throw message.malformed("the new row is missing");
            }
            fresh = Tuple.parse(message, columns);
            if (old != null) {
                fresh.completeFrom(old);
            }
        } else if (old == null) {
            throw message.malformed("the old row is missing");
        }
        message.end();
        if (old != null && keyOnly) {
            old.keepOnly(known.relation().flagged());
        } else if (old != null && !known.nullsLogged()) {
            old.forgetNulls();
        }
        Row before = old == null ? null : table.row(message.data(), old.offsets(), old.lengths());
        Op op = kind == 'I' ? Op.CREATE : kind == 'U' ? Op.UPDATE : Op.DELETE;
        Row after = null;
        if (fresh != null) {
            after = table.row(message.data(), fresh.offsets(), fresh.lengths());
            // Of an insert: an update that moved the row into the publication's filter.
            boolean partial = kind == 'I' || (origin.catchUp() && old != null);
            if (partial && !table.schema().key().isEmpty() && fresh.hasUnchanged()) {
                TextRow whole = catchUp.complete(table, message.data(), fresh, xid);
                if (whole == null) { // moved on or deleted since: what became of it follows in the log
                    op = Op.DELETE;
                    before = before == null ? after : before;
                    after = null;
                } else {
                    after = whole;
                    length = Math.max(length, whole.data().length);
                }
            }
        }
        int size = size(length, columns * (old == null || fresh == null ? 1 : 2));
        return new Change(op, table.schema(), before, after, origin, size);
    }

    private void truncate(MessageCursor message, Lsn lsn, ChangeOutput out) {
        Lsn commit = commitLsn(message);
        int count = message.int32();
        message.int8();
        for (int i = 0; i < count; i++) {
            int oid = message.int32();
            number++;
            Known known = known(oid, message);
            TableShape table = known.table();
            if (!leftOut && table != null && known.gives(commit)) {
                boolean catchingUp = catchUp.applies(known.catchUpPoint(), commit);
                PgOrigin origin = new PgOrigin.Log(transaction(), lsn, number, 0, catchingUp);
                out.change(new Change(Op.TRUNCATE, table.schema(), null, null, origin, size(0, 0)), null);
            }
        }
        message.end();
    }

    /**
     * One that is not transactional comes outside of any transaction, also after a rollback (fact 9), and where it lies in
     * the log. Its end is not known, so it has no position; the next marker, which lies behind it, covers it.
     */
    private void message(MessageCursor message, Lsn lsn, ChangeOutput out) {
        MessageHead head = MessageHead.parse(message);
        int length = message.int32();
        int from = message.at();
        message.pass(length);
        message.end();
        if (!gives(head, message)) {
            return;
        }
        byte[] content = Arrays.copyOfRange(message.data(), from, from + length);
        PgOrigin origin = head.transactional()
                ? new PgOrigin.Log(transaction(), lsn, number, messages, false)
                : new PgOrigin.Log(new PgOrigin.Transaction(0, head.lsn(), sentAtMicros, null), lsn, 0, 1, false);
        Row row = LogicalMessages.row(head.prefix(), content, head.transactional());
        out.change(new Change(Op.MESSAGE, LogicalMessages.SCHEMA, null, row, origin, size(length, 3)), null);
    }

    /** Counts a message of a transaction, and says whether it is wanted. */
    private boolean gives(MessageHead head, MessageCursor message) {
        boolean old = head.lsn().isBefore(position);
        if (head.transactional()) {
            commitLsn(message);
            messages++;
            old = leftOut;
        }
        return !old && filter.messages().test(head.prefix());
    }

    /**
     * Passes over a message of which only the first bytes were kept.
     *
     * @return false: it cannot be passed over, because it would have been given
     */
    public boolean passOver(byte[] data, int from, int length) {
        MessageCursor message = new MessageCursor(data, from, length);
        int kind = message.int8();
        return switch (kind) {
            case 'I', 'U', 'D' -> {
                Lsn commit = commitLsn(message);
                int oid = message.int32();
                number++;
                yield leftOut || !known(oid, message).gives(commit);
            }
            case 'M' -> MessageHead.fits(data, from, length) && !gives(MessageHead.parse(message), message);
            default -> false;
        };
    }

    /** When the server sent what is decoded next: the time of a message that belongs to no transaction. */
    public void sentAt(long epochMicros) {
        sentAtMicros = epochMicros;
    }

    private static int size(int length, int columns) {
        return Math.addExact(length, CHANGE_OVERHEAD_BYTES + COLUMN_OVERHEAD_BYTES * columns);
    }

    private Lsn commitLsn(MessageCursor message) {
        Lsn commit = commitLsn;
        if (commit == null) {
            throw message.malformed("it comes outside of a transaction");
        }
        return commit;
    }

    private Known known(int oid, MessageCursor message) {
        Known known = last;
        if (known == null || known.relation().oid() != oid) {
            known = relations.get(oid);
            if (known == null) {
                throw message.malformed("its table, OID " + Integer.toUnsignedString(oid) + ", was not described");
            }
            last = known;
        }
        return known;
    }

    /** The part of the origin that the changes of the open transaction share. */
    private PgOrigin.Transaction transaction() {
        PgOrigin.Transaction shared = transaction;
        Lsn commit = commitLsn;
        if (shared == null) {
            shared = new PgOrigin.Transaction(
                    xid, commit == null ? position : commit, committedAtMicros, replicationOrigin);
            transaction = shared;
        }
        return shared;
    }
}
