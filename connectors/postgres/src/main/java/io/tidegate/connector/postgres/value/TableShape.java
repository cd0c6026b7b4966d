package io.tidegate.connector.postgres.value;

import io.tidegate.spi.Column;
import io.tidegate.spi.TableSchema;
import java.util.ArrayList;
import java.util.List;

/**
 * A table's schema with the reader of each column; made once for each Relation message or snapshot chunk. Immutable:
 * nobody writes into {@code readers}.
 */
public final class TableShape {

    private final int oid;
    private final TableSchema schema;
    private final ValueReader[] readers;

    private TableShape(int oid, TableSchema schema, ValueReader[] readers) {
        this.oid = oid;
        this.schema = schema;
        this.readers = readers;
    }

    /** The one way from a table's description to its rows, for stream and snapshot alike (I16). */
    public static TableShape of(RelationShape relation, TypeCatalogue types, int version) {
        List<Column> columns = new ArrayList<>();
        ValueReader[] readers = new ValueReader[relation.columns().size()];
        for (int i = 0; i < readers.length; i++) {
            RelationShape.ColumnShape column = relation.columns().get(i);
            PgType type = types.find(column.typeOid(), column.typmod());
            readers[i] = ValueReaders.of(type, types);
            columns.add(new Column(column.name(), readers[i].type(), type.display()));
        }
        TableSchema schema = new TableSchema(relation.namespace(), relation.name(), columns, relation.key(), version);
        return new TableShape(relation.oid(), schema, readers);
    }

    /** The table's OID. */
    public int oid() {
        return oid;
    }

    public TableSchema schema() {
        return schema;
    }

    /** A row of this table; the arrays belong to it from now on. */
    public TextRow row(byte[] data, int[] offsets, int[] lengths) {
        return new TextRow(schema, readers, data, offsets, lengths);
    }
}
