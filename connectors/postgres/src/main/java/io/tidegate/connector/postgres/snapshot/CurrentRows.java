package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.pgoutput.RowLookup;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.value.TableShape;
import io.tidegate.connector.postgres.value.TextRow;
import io.tidegate.connector.postgres.wire.PgErrors;
import io.tidegate.spi.Column;
import io.tidegate.spi.TableSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reads rows by COPY, as a snapshot does, so that the texts are those of the log. */
public final class CurrentRows implements RowLookup {

    private final Supplier<SqlSession> control;
    private final SnapshotTables tables;
    private final Map<Integer, Published> published = new HashMap<>();

    /**
     * Asks over a session that can change from one question to the next.
     *
     * @param control gives a session with pinned settings, in autocommit mode
     */
    public CurrentRows(Supplier<SqlSession> control, SnapshotTables tables) {
        this.control = control;
        this.tables = tables;
    }

    @Override
    public Found read(TableShape table, List<Integer> columns, List<byte[]> key) {
        SqlSession session = control.get();
        byte[] line;
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            session.driver().getCopyAPI().copyOut(statement(session, table, columns, key), out);
            line = out.toByteArray();
        } catch (SQLException e) {
            throw PgErrors.of(
                    e,
                    PgErrors.Doing.ASKING,
                    "reading a row of " + table.schema().display());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e); // an array does not fail
        }
        Lsn at = session.one("SELECT pg_current_wal_insert_lsn()::text", row -> Lsn.parse(row.getString(1)));
        if (line.length == 0) {
            return new Found(false, Map.of(), at);
        }
        int[] offsets = new int[columns.size()];
        int[] lengths = new int[columns.size()];
        CopyText.split(line, offsets, lengths);
        Map<Integer, byte[]> texts = new HashMap<>();
        for (int i = 0; i < offsets.length; i++) {
            if (lengths[i] != TextRow.NULL) {
                texts.put(columns.get(i), Arrays.copyOfRange(line, offsets[i], offsets[i] + lengths[i]));
            }
        }
        return new Found(true, texts, at);
    }

    private String statement(SqlSession session, TableShape table, List<Integer> columns, List<byte[]> key) {
        Published now =
                published.computeIfAbsent(table.oid(), oid -> tables.find(session, Integer.toUnsignedLong(oid)));
        boolean partitioned = session.one(
                "SELECT relkind = 'p' FROM pg_class WHERE oid::bigint = ?", row -> row.getBoolean(1), now.oid());
        TableSchema schema = table.schema();
        List<Column> all = schema.columns();
        List<String> conditions = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            String column = all.get(schema.key().get(i)).name();
            conditions.add(Sql.name(column) + " = " + Sql.text(new String(key.get(i), StandardCharsets.UTF_8)));
        }
        if (now.rowFilter() != null) {
            conditions.add("(" + now.rowFilter() + ")");
        }
        String names = String.join(
                ", ", columns.stream().map(i -> Sql.name(all.get(i).name())).toList());
        return "COPY (SELECT " + names + " FROM " + (partitioned ? "" : "ONLY ") + now.sql() + " WHERE "
                + String.join(" AND ", conditions) + ") TO STDOUT";
    }
}
