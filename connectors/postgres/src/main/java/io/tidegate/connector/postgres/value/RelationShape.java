package io.tidegate.connector.postgres.value;

import java.util.List;

/**
 * A table as a Relation message or the catalogue describes it, before its types are looked up.
 *
 * @param oid the table's OID
 * @param namespace the schema's name, unquoted
 * @param name the table's name, unquoted
 * @param columns those that the publication carries, in their order
 * @param key indexes into {@code columns}, in key order; empty: keyless (rule 14)
 */
public record RelationShape(int oid, String namespace, String name, List<ColumnShape> columns, List<Integer> key) {

    public RelationShape {
        columns = List.copyOf(columns);
        key = List.copyOf(key);
    }

    /**
     * One column, before its type is looked up.
     *
     * @param name unquoted
     * @param typeOid {@code atttypid}
     * @param typmod {@code atttypmod}, -1 for none
     */
    public record ColumnShape(String name, int typeOid, int typmod) {}
}
