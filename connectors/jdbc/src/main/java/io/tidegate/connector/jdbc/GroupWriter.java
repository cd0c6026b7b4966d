package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.ChangeGroup.TableOutcome;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes groups of changes inside a transaction that somebody else begins and ends: first by few statements, of which the
 * fastest one takes it that rows which the source inserted are not there; if the target
 * refuses one of them, one by one in the order of the source, which either succeeds or names the change that is refused.
 */
final class GroupWriter {

    private static final int PAUSE_MAX = 256;

    private final Dialect dialect;
    private final Connection connection;
    private final RowWriter rows;
    private final List<Change> nothingToDo = new ArrayList<>();
    private int pause;
    /** Groups that are written without trying inserts. */
    private int withoutInserts;

    GroupWriter(Dialect dialect, Connection connection, RowWriter rows) {
        this.dialect = dialect;
        this.connection = connection;
        this.rows = rows;
    }

    /** Says that a transaction begins. */
    void begin() {
        nothingToDo.clear();
    }

    /** Changes that had nothing to do since the transaction began. */
    List<Change> nothingToDo() {
        return nothingToDo;
    }

    void write(ChangeGroup group) throws SQLException {
        if (group.size() == 1) {
            one(group.inOrder().get(0));
            return;
        }
        Savepoint before = connection.setSavepoint();
        boolean inserts = inserts(group);
        boolean written = tried(group, inserts);
        if (inserts) {
            if (written) {
                collided(false);
            } else {
                connection.rollback(before);
                written = tried(group, false);
                if (written) { // else it was something else that the target refused
                    collided(true);
                }
            }
        }
        if (written) {
            connection.releaseSavepoint(before);
            return;
        }
        connection.rollback(before);
        for (RowChange change : group.inOrder()) {
            one(change);
        }
    }

    private boolean tried(ChangeGroup group, boolean inserts) throws SQLException {
        try {
            return together(group, inserts);
        } catch (SQLException e) {
            if (dialect.failures().kind(e) != SqlFailures.Kind.REFUSED) {
                throw e;
            }
            return false;
        }
    }

    /** Whether some of the group can be written as inserts that find none of their rows there. */
    private boolean inserts(ChangeGroup group) {
        if (withoutInserts > 0) {
            withoutInserts--;
            return false;
        }
        return group.parentsFirst().stream()
                .anyMatch(outcome -> outcome.onlyInserts()
                        && outcome.images(false).keySet().stream()
                                .anyMatch(columns -> rows.inserts(outcome.table, columns)));
    }

    /** Rows that are there though they should not be are seldom alone: after each collision inserts are left longer. */
    private void collided(boolean again) {
        pause = again ? Math.min(PAUSE_MAX, Math.max(1, pause * 2)) : 0;
        withoutInserts = pause;
    }

    /** False: a row that should be there is not; one by one it is seen which. */
    private boolean together(ChangeGroup group, boolean inserts) throws SQLException {
        List<TableOutcome> tables = group.parentsFirst();
        for (int i = tables.size() - 1; i >= 0; i--) {
            List<Object[]> removed = tables.get(i).removed();
            if (!removed.isEmpty()) {
                rows.remove(tables.get(i).table, removed);
            }
        }
        for (TableOutcome outcome : tables) {
            for (Map.Entry<List<Integer>, List<Object[]>> patches :
                    outcome.images(true).entrySet()) {
                if (rows.patch(outcome.table, patches.getKey(), patches.getValue())
                        != patches.getValue().size()) {
                    return false;
                }
            }
            for (Map.Entry<List<Integer>, List<Object[]>> puts :
                    outcome.images(false).entrySet()) {
                if (inserts && outcome.onlyInserts() && rows.inserts(outcome.table, puts.getKey())) {
                    rows.insert(outcome.table, puts.getKey(), puts.getValue());
                } else {
                    rows.put(outcome.table, puts.getKey(), puts.getValue());
                }
            }
            if (!outcome.appended().isEmpty()) {
                rows.append(outcome.table, outcome.appended());
            }
        }
        return true;
    }

    private void one(RowChange change) throws SQLException {
        try {
            if (!written(change)) {
                missing(change.tracked().change(), change.table());
            }
        } catch (SQLException e) {
            if (dialect.failures().kind(e) != SqlFailures.Kind.REFUSED) {
                throw e;
            }
            throw change.tracked()
                    .rejected(dialect.failures().reason(e, change.table().name()));
        }
    }

    private boolean written(RowChange change) throws SQLException {
        TargetTable table = change.table();
        List<Object[]> image = List.<Object[]>of(change.image());
        switch (change.kind()) {
            case PUT -> rows.put(table, RowChange.known(change.image()), image);
            case REMOVE -> rows.remove(table, List.<Object[]>of(change.key()));
            case APPEND -> rows.append(table, image);
            case PATCH -> {
                return rows.patch(table, RowChange.known(change.image()), image) != 0;
            }
            case REKEY -> {
                List<Integer> known = RowChange.known(change.image());
                if (rows.rekey(table, known, change.image(), change.oldKey())) {
                    return true;
                }
                if (!change.tracked().change().origin().catchUp() || known.size() < change.image().length) {
                    return false;
                }
                rows.put(table, known, image); // it was completed: no read of a chunk brings this row
            }
        }
        return true;
    }

    private void missing(Change change, TargetTable table) {
        if (change.origin().catchUp()) {
            nothingToDo.add(change);
            return;
        }
        throw new TidegateException(
                ErrorCode.ROW_MISSING,
                "the table " + table.name().display() + " lacks the row that the update of "
                        + change.table().display() + " at " + change.origin().position() + " changes");
    }
}
