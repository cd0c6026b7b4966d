package io.tidegate.connector.postgres.log;

import io.tidegate.connector.postgres.pgoutput.CatchUp;
import io.tidegate.connector.postgres.pgoutput.PgOutputDecoder;
import io.tidegate.connector.postgres.pgoutput.SqlKeyCatalogue;
import io.tidegate.connector.postgres.pgoutput.TableFilter;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.value.Seen;
import io.tidegate.connector.postgres.value.SqlTypeCatalogue;
import io.tidegate.connector.postgres.wire.CopyStream;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.connector.postgres.wire.SessionSettings;
import io.tidegate.spi.Change;
import io.tidegate.spi.Row;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A database with a publication of all tables and a slot, and readers of it. */
final class LogFixture implements AutoCloseable {

    static final Duration LIMIT = Duration.ofSeconds(30);

    final SharedPostgres.Database database;
    final Connection control;
    final String slot;
    TableFilter filter = new TableFilter(oid -> true, oid -> null, prefix -> false);
    long messageBytesMax = 80L << 20;
    LongSupplier nanoTime = System::nanoTime;

    LogFixture(int version, String... sql) throws SQLException {
        database = SharedPostgres.version(version).fresh();
        slot = "slot_" + database.name();
        database.execute(sql);
        database.execute(
                "CREATE PUBLICATION \"p'\"\"q\" FOR ALL TABLES",
                "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
        control = database.connect();
        try (Statement statement = control.createStatement()) {
            for (String set : SessionSettings.statements()) {
                statement.execute(set);
            }
        }
    }

    ReplicationConnection connect() {
        Properties properties = new Properties();
        properties.setProperty("user", "postgres");
        return ReplicationConnection.open(database.jdbcUrl(), properties);
    }

    Lsn confirmed() throws SQLException {
        return Lsn.parse(
                database.query("SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = '" + slot + "'")
                        .get(0));
    }

    /** Waits until nobody reads the slot. */
    void awaitFree() throws SQLException {
        Await.until(
                "the slot to be free",
                LIMIT,
                () -> database.query("SELECT 1 FROM pg_replication_slots WHERE active AND slot_name = '" + slot + "'")
                        .isEmpty());
    }

    LogReader reader(Lsn from, Duration walSenderTimeout) {
        ReplicationConnection connection = connect();
        CopyStream stream = connection.startReplication(slot, from, List.of("p'\"q"), true, messageBytesMax);
        PgOutputDecoder decoder = new PgOutputDecoder(
                new SqlTypeCatalogue(() -> control), new SqlKeyCatalogue(() -> control), filter, CatchUp.none(), from);
        return new LogReader(connection, stream, decoder, walSenderTimeout, nanoTime);
    }

    LogReader reader() throws SQLException {
        return reader(confirmed(), Duration.ofSeconds(60));
    }

    /** Polls until so many changes are there, and the marker behind the last one. */
    static TakenOutput read(LogReader reader, int changes) {
        TakenOutput out = new TakenOutput(Integer.MAX_VALUE);
        long start = System.nanoTime();
        int markers = -1;
        while (out.changes().size() < changes || out.markers().size() <= markers) {
            int before = out.changes().size();
            reader.poll(out, Duration.ofMillis(200));
            if (out.changes().size() > before) {
                markers = -1;
            }
            if (out.changes().size() >= changes && markers < 0 && out.markers().isEmpty()) {
                markers = 0;
            }
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw new AssertionError("only " + texts(out) + " came");
            }
        }
        return out;
    }

    /** Polls until this change is there. */
    static TakenOutput readTo(LogReader reader, String last) {
        TakenOutput out = new TakenOutput(Integer.MAX_VALUE);
        Await.until(
                last,
                LIMIT,
                () -> {
                    reader.poll(out, Duration.ofMillis(200));
                    return texts(out).contains(last);
                },
                () -> "only " + texts(out) + " came");
        return out;
    }

    static List<String> texts(TakenOutput out) {
        return out.changes().stream().map(LogFixture::text).toList();
    }

    /** Op, table, number and rows of a change, for comparing. */
    static String text(Change change) {
        return change.op().code() + " " + change.table().display() + row(" -", change.before(), change)
                + row(" +", change.after(), change);
    }

    private static String row(String sign, @Nullable Row row, Change change) {
        if (row == null) {
            return "";
        }
        List<String> values = new ArrayList<>();
        for (int i = 0; i < change.table().columns().size(); i++) {
            values.add(Seen.of(row, i));
        }
        return sign + String.join("|", values);
    }

    @Override
    public void close() throws SQLException {
        control.close();
        database.close();
    }
}
