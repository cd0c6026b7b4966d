package io.tidegate.bench.jdbc;

import io.tidegate.bench.server.BenchServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** The table that is written to: the same before each writer, and looked at after each. */
public final class TargetTable {

    private static final String FILL = "fill";

    private final BenchServer server;
    private final TargetRows rows;
    private final TargetChanges changes;

    /** Makes the tables on a server that was {@link BenchServer#reset}. */
    public TargetTable(BenchServer server, TargetRows rows, TargetChanges changes) {
        this.server = server;
        this.rows = rows;
        this.changes = changes;
        server.execute(TargetRows.create(TargetRows.TABLE), TargetRows.create(FILL));
        fill();
    }

    private void fill() {
        try (Connection connection = server.connect()) {
            CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY " + FILL + " FROM STDIN");
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int id = 1; id <= changes.filled(); id++) {
                line.reset();
                rows.line(id, 0, line);
                copy.writeToCopy(line.toByteArray(), 0, line.size());
            }
            copy.endCopy();
        } catch (SQLException e) {
            throw new IllegalStateException("the table cannot be filled: " + e.getMessage(), e);
        }
    }

    /** Brings the table to where the changes begin, and forgets what a sink knew. Everything is written out. */
    public void prepare() {
        server.execute(
                "DROP TABLE IF EXISTS t_changes, tidegate_position",
                "DROP TABLE t",
                TargetRows.create(TargetRows.TABLE),
                "INSERT INTO t SELECT * FROM fill ORDER BY id",
                "VACUUM ANALYZE t",
                "CHECKPOINT");
    }

    /** Compares every row with what the changes must have left; throws if one differs. */
    public void check(String writer) {
        MessageDigest expected = digest();
        int[] count = {0};
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        changes.outcome((id, version) -> {
            line.reset();
            rows.line(id, version, line);
            expected.update(line.toByteArray());
            count[0]++;
        });
        String wanted = count[0] + " rows, " + HexFormat.of().formatHex(expected.digest());
        String found = server.query("SELECT count(*) FROM t") + " rows, " + stored();
        if (!wanted.equals(found)) {
            throw new IllegalStateException(writer + " left " + found + " where there must be " + wanted);
        }
    }

    private String stored() {
        MessageDigest digest = digest();
        try (Connection connection = server.connect();
                var statement = connection.createStatement()) {
            statement.execute("SET timezone = 'UTC'");
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyOut("COPY (SELECT * FROM t ORDER BY id) TO STDOUT", new OutputStream() {
                        @Override
                        public void write(int b) {
                            digest.update((byte) b);
                        }

                        @Override
                        public void write(byte[] from, int offset, int length) {
                            digest.update(from, offset, length);
                        }
                    });
        } catch (SQLException | IOException e) {
            throw new IllegalStateException("the table cannot be read: " + e.getMessage(), e);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Looks whether {@code append} added a row for each change, in their order. */
    public void checkAppended() {
        MessageDigest expected = digest();
        for (int i = 0; i < changes.size(); i++) {
            expected.update((changes.op(i).code() + changes.id(i) + ",").getBytes(StandardCharsets.US_ASCII));
        }
        MessageDigest found = digest();
        found.update(server.query("SELECT op || coalesce(change->'after'->>'id', change->'before'->>'id') || ','"
                        + " FROM t_changes ORDER BY seq")
                .replace("\n", "")
                .getBytes(StandardCharsets.US_ASCII));
        if (!MessageDigest.isEqual(expected.digest(), found.digest())) {
            throw new IllegalStateException("append did not add each change once and in order: "
                    + server.query("SELECT count(*) FROM t_changes") + " rows");
        }
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
