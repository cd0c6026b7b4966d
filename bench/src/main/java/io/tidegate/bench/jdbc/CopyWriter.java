package io.tidegate.bench.jdbc;

import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import io.tidegate.spi.Op;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Writes rows by {@code COPY … FROM STDIN}, in one transaction. Its bytes are ready before; the time ends with the commit. */
public final class CopyWriter {

    private static final int PART_BYTES = 1 << 16;

    private CopyWriter() {}

    /** Takes {@code url}, {@code kind}, {@code count}, {@code seed}. */
    public static void main(String[] words) throws Exception {
        ChildReport report = new ChildReport();
        Arguments arguments = Arguments.of(words);
        long seed = arguments.number("seed");
        TargetChanges changes =
                TargetChanges.of(TargetChanges.Kind.of(arguments.text("kind")), (int) arguments.number("count"), seed);
        List<byte[]> parts = parts(new TargetRows(seed), changes);
        try (Connection connection =
                DriverManager.getConnection(arguments.text("url"), PostgresServer.SUPERUSER, null)) {
            connection.setAutoCommit(false);
            Measured measured = new Measured(report);
            long first = ChildReport.now();
            CopyIn copy = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY " + TargetRows.TABLE + " FROM STDIN");
            for (byte[] part : parts) {
                copy.writeToCopy(part, 0, part.length);
            }
            copy.endCopy();
            connection.commit();
            measured.end(first, ChildReport.now());
        }
        report.print();
    }

    private static List<byte[]> parts(TargetRows rows, TargetChanges changes) {
        List<byte[]> parts = new ArrayList<>();
        ByteArrayOutputStream part = new ByteArrayOutputStream(PART_BYTES + 1024);
        for (int i = 0; i < changes.size(); i++) {
            if (changes.op(i) != Op.CREATE) {
                throw new IllegalArgumentException("COPY can only insert");
            }
            rows.line(changes.id(i), changes.version(i), part);
            if (part.size() >= PART_BYTES || i == changes.size() - 1) {
                parts.add(part.toByteArray());
                part.reset();
            }
        }
        return parts;
    }
}
