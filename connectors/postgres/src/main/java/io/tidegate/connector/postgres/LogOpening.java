package io.tidegate.connector.postgres;

import io.tidegate.connector.postgres.birth.BirthRecord;
import io.tidegate.connector.postgres.birth.Continuity;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.log.LogReader;
import io.tidegate.connector.postgres.pgoutput.PgOutputDecoder;
import io.tidegate.connector.postgres.pgoutput.SqlKeyCatalogue;
import io.tidegate.connector.postgres.pgoutput.TableFilter;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.value.SqlTypeCatalogue;
import io.tidegate.connector.postgres.wire.CopyStream;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts to read the log, and proves before anything is confirmed that it continues exactly (rule 2). */
final class LogOpening {

    private static final int REPORT_MILLIS = 1000;

    private final PostgresConfig config;
    private final Connections connections;
    private final SourceContext context;
    private final BirthRecord record;

    LogOpening(PostgresConfig config, Connections connections, SourceContext context, BirthRecord record) {
        this.config = config;
        this.connections = connections;
        this.context = context;
        this.record = record;
    }

    SplitReader open(Lsn from) {
        Continuity continuity = new Continuity(config);
        ReplicationConnection connection = connections.replication();
        try (SqlSession control = connections.control()) {
            continuity.server(connection, record, from);
            continuity.slot(control, from).refuseActive();
            Duration timeout = SlotWatch.shown(connection.show("wal_sender_timeout"));
            CopyStream stream = start(connection, continuity, control, from);
            reading(stream, connection, continuity, control, from);
            continuity.fingerprint(control, record);
            Supplier<Connection> catalogue = new CatalogueConnection(connections);
            PgOutputDecoder decoder = new PgOutputDecoder(
                    new SqlTypeCatalogue(catalogue), new SqlKeyCatalogue(catalogue), filter(), from);
            return new LogReader(connection, stream, decoder, timeout, context::nanoTime);
        } catch (RuntimeException e) {
            connections.closed(connection);
            connection.close();
            throw e;
        }
    }

    /** A refusal is judged by what the catalogue says of the slot, not by its text. */
    private CopyStream start(ReplicationConnection connection, Continuity continuity, SqlSession control, Lsn from) {
        try {
            return connection.startReplication(
                    config.slot(),
                    from,
                    List.of(config.publication()),
                    !config.messages().isEmpty(),
                    config.maxRowBytes());
        } catch (TidegateException refused) {
            if (refused.code() == ErrorCode.SOURCE_UNAVAILABLE) {
                continuity.slot(control, from);
            }
            throw refused;
        }
    }

    /** A walsender that has ended again since START was accepted has said why. */
    private void reading(
            CopyStream stream, ReplicationConnection connection, Continuity continuity, SqlSession control, Lsn from) {
        try {
            continuity.reading(control, connection.backendPid(), from);
        } catch (TidegateException notOurs) {
            if (notOurs.code() == ErrorCode.SLOT_ACTIVE) {
                stream.awaitReport(REPORT_MILLIS);
            }
            throw notOurs;
        }
    }

    /** All tables of an attempt have the same H; without a snapshot nothing is skipped. */
    private TableFilter filter() {
        Set<Long> ours = record.fingerprint().tables();
        Lsn point = record.point();
        return new TableFilter(oid -> ours.contains(Integer.toUnsignedLong(oid)), oid -> point, config::asksFor);
    }

    /** The connection on which the reader of the log looks types and keys up; opened when it is needed. */
    private static final class CatalogueConnection implements Supplier<Connection> {

        private final Connections connections;
        private @Nullable SqlSession session;

        CatalogueConnection(Connections connections) {
            this.connections = connections;
        }

        @Override
        public Connection get() {
            SqlSession current = session;
            if (current == null || closed(current)) {
                current = connections.control();
                session = current;
            }
            return current.connection();
        }

        private static boolean closed(SqlSession session) {
            try {
                return session.connection().isClosed();
            } catch (SQLException e) {
                return true;
            }
        }
    }
}
