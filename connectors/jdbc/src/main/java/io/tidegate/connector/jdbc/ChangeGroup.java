package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.RowChange.Kind;
import io.tidegate.spi.Change;
import io.tidegate.spi.Op;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are written by few statements: of each row only the outcome. What can be told from the outcome only if the
 * order is kept does not fit into the group ({@link #fits}); the group is written first then.
 *
 * <ul>
 *   <li>G1 Written in any order of its tables and rows, the outcomes leave what the changes would have left one by one, if
 *       no constraint or trigger of the target looks across rows. One that refuses is met by writing them one by one; a
 *       foreign key that changes other rows by itself keeps removals apart.
 *   <li>G2 A change is never left out because a later one hides it, unless the later one alone says all of the row.
 * </ul>
 */
final class ChangeGroup {

    private static final int CHANGES_MAX = 10_000;
    private static final long BYTES_MAX = 4 << 20;

    /** Shorter texts first, so that whole numbers follow each other; other cells keep no order. */
    private static final Comparator<Outcome> BY_KEY = Comparator.comparing(Outcome::key, (left, right) -> {
        for (int i = 0; i < left.length; i++) {
            if (left[i] instanceof String one && right[i] instanceof String other) {
                int lengths = Integer.compare(one.length(), other.length());
                int order = lengths != 0 ? lengths : one.compareTo(other);
                if (order != 0) {
                    return order;
                }
            }
        }
        return 0;
    });

    /** The key of a row, by content. */
    @SuppressWarnings("ArrayRecordComponent") // compared by content
    private record Key(Object[] cells) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Arrays.deepEquals(cells, key.cells);
        }

        @Override
        public int hashCode() {
            return Arrays.deepHashCode(cells);
        }
    }

    /**
     * What becomes of a row: removed, or put, or removed and put again, or patched.
     *
     * @param image null: nothing is put
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares or changes them
    record Outcome(Object[] key, boolean remove, Object @Nullable [] image, boolean patch) {}

    /** What becomes of one table. */
    static final class TableOutcome {
        final TargetTable table;
        private final Map<Key, Outcome> rows = new LinkedHashMap<>();
        private final List<Object[]> appended = new ArrayList<>();
        private boolean onlyInserts = true;

        private TableOutcome(TargetTable table) {
            this.table = table;
        }

        /**
         * Whether all changes are inserts and snapshot reads, each of another row: then none of the rows should be at the
         * target.
         */
        boolean onlyInserts() {
            return onlyInserts;
        }

        List<Object[]> removed() {
            return sorted(rows.values().stream().filter(Outcome::remove))
                    .map(Outcome::key)
                    .toList();
        }

        /** Any order will do (G1): rows whose keys are near mostly lie together at the target. */
        private Stream<Outcome> sorted(Stream<Outcome> outcomes) {
            return onlyInserts ? outcomes : outcomes.sorted(BY_KEY);
        }

        /** Images of rows to put, or to patch, by the columns that they know. */
        Map<List<Integer>, List<Object[]>> images(boolean patch) {
            Map<List<Integer>, List<Object[]>> byColumns = new LinkedHashMap<>();
            List<Integer> known = List.of();
            Stream<Outcome> some = rows.values().stream().filter(row -> row.image() != null && row.patch() == patch);
            for (Outcome row : sorted(some).toList()) {
                Object[] image = row.image();
                if (image != null) {
                    if (!RowChange.knows(image, known)) { // mostly all rows know the same columns
                        known = RowChange.known(image);
                    }
                    byColumns
                            .computeIfAbsent(known, columns -> new ArrayList<>())
                            .add(image);
                }
            }
            return byColumns;
        }

        List<Object[]> appended() {
            return Collections.unmodifiableList(appended);
        }
    }

    private final List<RowChange> inOrder = new ArrayList<>();
    /** In the order in which they came. */
    private final Map<TableName, TableOutcome> tables = new LinkedHashMap<>();

    private long bytes;
    private boolean removalsApart;

    boolean isEmpty() {
        return inOrder.isEmpty();
    }

    int size() {
        return inOrder.size();
    }

    boolean full() {
        return inOrder.size() >= CHANGES_MAX || bytes >= BYTES_MAX;
    }

    /** The changes, as they came. */
    List<RowChange> inOrder() {
        return Collections.unmodifiableList(inOrder);
    }

    /** Whether this can be added without writing the group first. */
    @SuppressWarnings("ReferenceEquality") // another version of a table is another object
    boolean fits(RowChange change) {
        if (isEmpty()) {
            return true;
        }
        TableOutcome known = tables.get(change.table().name());
        if (change.kind() == Kind.REKEY
                || (change.table().keyed() && !change.table().facts().exactKey())
                || (known != null && known.table != change.table())) {
            return false;
        }
        boolean removal = change.kind() == Kind.REMOVE;
        if (removalsApart ? !removal : removal && change.table().facts().cascades()) {
            return false;
        }
        if (change.kind() == Kind.PATCH && known != null) {
            Outcome row = known.rows.get(new Key(change.key()));
            return row == null || row.image() != null;
        }
        return true;
    }

    /** Whether nothing can be added: what is in it has to be written by itself. */
    boolean alone() {
        return inOrder.size() == 1
                && (inOrder.get(0).kind() == Kind.REKEY
                        || (inOrder.get(0).table().keyed()
                                && !inOrder.get(0).table().facts().exactKey()));
    }

    void add(RowChange change) {
        inOrder.add(change);
        bytes += change.tracked().change().size();
        TableOutcome table = tables.computeIfAbsent(change.table().name(), name -> new TableOutcome(change.table()));
        if (change.kind() == Kind.APPEND) {
            table.appended.add(change.image());
            return;
        }
        if (change.kind() == Kind.REMOVE && change.table().facts().cascades()) {
            removalsApart = true;
        }
        int known = table.rows.size();
        table.rows.merge(new Key(change.key()), outcome(change), ChangeGroup::then);
        table.onlyInserts &=
                table.rows.size() > known && inserts(change.tracked().change());
    }

    /** In catch-up a row may have been read before its insert comes. */
    private static boolean inserts(Change change) {
        return (change.op() == Op.CREATE || change.op() == Op.READ)
                && !change.origin().catchUp();
    }

    private static Outcome outcome(RowChange change) {
        boolean removal = change.kind() == Kind.REMOVE;
        return new Outcome(change.key(), removal, removal ? null : change.image(), change.kind() == Kind.PATCH);
    }

    private static Outcome then(Outcome first, Outcome next) {
        Object[] earlier = first.image();
        Object[] later = next.image();
        if (later == null) {
            return next;
        }
        if (earlier == null) {
            return new Outcome(next.key(), first.remove(), later, next.patch());
        }
        Object[] merged = later.clone();
        for (int i = 0; i < merged.length; i++) {
            if (merged[i] == RowChange.UNKNOWN) {
                merged[i] = earlier[i];
            }
        }
        return new Outcome(next.key(), first.remove(), merged, first.patch() && next.patch());
    }

    /** What becomes of the tables, those that foreign keys name before those that name them; circles end anywhere. */
    List<TableOutcome> parentsFirst() {
        Map<TableName, TableOutcome> sorted = new LinkedHashMap<>();
        Map<TableName, Boolean> visited = new HashMap<>();
        for (TableName name : tables.keySet()) {
            visit(name, visited, sorted);
        }
        return List.copyOf(sorted.values());
    }

    private void visit(TableName name, Map<TableName, Boolean> visited, Map<TableName, TableOutcome> sorted) {
        TableOutcome table = tables.get(name);
        if (table == null || visited.putIfAbsent(name, true) != null) {
            return;
        }
        for (TableName parent : table.table.facts().parents()) {
            visit(parent, visited, sorted);
        }
        sorted.put(name, table);
    }
}
