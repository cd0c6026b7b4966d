package io.tidegate.connector.jdbc;

import java.util.List;
import java.util.Set;

/**
 * One version of a source's table, and the target's table that it is written to. Equal to itself only.
 *
 * @param columns those of the source's table, in its order, as the target has them
 * @param key indexes into {@code columns}; empty for a table that is only added to
 * @param facts what of the target's table decides how it can be written
 */
record TargetTable(TableName name, List<TargetColumn> columns, List<Integer> key, Facts facts) {

    TargetTable {
        columns = List.copyOf(columns);
        key = List.copyOf(key);
    }

    /**
     * What of a target's table decides how it can be written.
     *
     * @param exactKey two keys are equal at the target if and only if their cells are equal here; else changes cannot be
     *     collapsed
     * @param otherUnique it has unique constraints beside the key
     * @param cascades deleting a row of it changes rows of other tables
     * @param rules an insert or an update is rewritten into something else
     * @param parents tables that its foreign keys name
     */
    record Facts(boolean exactKey, boolean otherUnique, boolean cascades, boolean rules, Set<TableName> parents) {
        Facts {
            parents = Set.copyOf(parents);
        }
    }

    boolean keyed() {
        return !key.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
