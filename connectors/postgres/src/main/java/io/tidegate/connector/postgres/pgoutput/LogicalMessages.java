package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.spi.Column;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The schema and the rows of logical messages ({@code pg_logical_emit_message}). */
final class LogicalMessages {

    static final TableSchema SCHEMA = new TableSchema(
            "pg_catalog",
            "pg_logical_emit_message",
            List.of(
                    new Column("prefix", LogicalType.STRING, "text"),
                    new Column("content", LogicalType.BYTES, "bytea"),
                    new Column("transactional", LogicalType.BOOLEAN, "boolean")),
            List.of(),
            1);

    private LogicalMessages() {}

    static Row row(String prefix, byte[] content, boolean transactional) {
        return new MessageRow(prefix.getBytes(StandardCharsets.UTF_8), content, transactional);
    }

    private static final class MessageRow implements Row {

        private final byte[] prefix;
        private final byte[] content;
        private final boolean transactional;

        MessageRow(byte[] prefix, byte[] content, boolean transactional) {
            this.prefix = prefix;
            this.content = content;
            this.transactional = transactional;
        }

        @Override
        public ColumnState state(int column) {
            return ColumnState.VALUE;
        }

        @Override
        public void visit(int column, ValueVisitor visitor) {
            switch (column) {
                case 0 -> visitor.string(prefix, 0, prefix.length);
                case 1 -> visitor.bytes(content, 0, content.length);
                case 2 -> visitor.bool(transactional);
                default -> throw new IndexOutOfBoundsException(column);
            }
        }
    }
}
