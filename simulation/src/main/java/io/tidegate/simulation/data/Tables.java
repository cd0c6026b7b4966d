package io.tidegate.simulation.data;

import io.tidegate.spi.Column;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.TableSchema;
import java.util.List;
import java.util.stream.IntStream;

/** The tables that there can be, by number. */
public final class Tables {

    /** How many. */
    public static final int COUNT = 3;

    public static final int KEY = 0;
    public static final int VALUE = 1;
    public static final int BIG = 2;

    private static final List<Column> COLUMNS = List.of(
            new Column("k", LogicalType.INT64, "bigint"),
            new Column("v", LogicalType.INT64, "bigint"),
            new Column("big", LogicalType.INT64, "bigint"));

    private static final List<TableSchema> ALL = IntStream.range(0, COUNT)
            .mapToObj(table -> new TableSchema("s", "t" + table, COLUMNS, List.of(KEY), 0))
            .toList();

    private Tables() {}

    public static TableSchema schema(int table) {
        return ALL.get(table);
    }

    /** The number of a table. */
    public static int number(TableSchema schema) {
        return Integer.parseInt(schema.name().substring(1));
    }
}
