package io.tidegate.connector.postgres;

import io.tidegate.connector.postgres.birth.BirthRecord;
import io.tidegate.connector.postgres.birth.Continuity;
import io.tidegate.connector.postgres.birth.LogTables;
import io.tidegate.connector.postgres.birth.TableChanges;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.log.LogReader;
import io.tidegate.connector.postgres.pgoutput.CatchUp;
import io.tidegate.connector.postgres.pgoutput.PgOutputDecoder;
import io.tidegate.connector.postgres.pgoutput.SqlKeyCatalogue;
import io.tidegate.connector.postgres.pgoutput.TableFilter;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.RaisedLsn;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.snapshot.CurrentRows;
import io.tidegate.connector.postgres.snapshot.SnapshotTables;
import io.tidegate.connector.postgres.value.SqlTypeCatalogue;
import io.tidegate.connector.postgres.wire.CopyStream;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Position;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts to read the log, and proves before anything is confirmed that it continues exactly (rule 2). */
final class LogOpening {

    private static final int REPORT_MILLIS = 1000;

    private final PostgresConfig config;
    private final Connections connections;
    private final SourceContext context;
    private final BirthRecord record;
    private final Map<Long, Finding> refused;

    /**
     * Opens the log of a pipeline with this record.
     *
     * @param refused as for {@link TableChanges#look}
     */
    LogOpening(
            PostgresConfig config,
            Connections connections,
            SourceContext context,
            BirthRecord record,
            Map<Long, Finding> refused) {
        this.refused = refused;
        this.config = config;
        this.connections = connections;
        this.context = context;
        this.record = record;
    }

    /** Reads on from a position of this source. */
    SplitReader open(Position position) {
        Lsn from = RaisedLsn.lsn(position);
        Continuity continuity = new Continuity(config);
        ReplicationConnection connection = connections.replication();
        try (SqlSession control = connections.control()) {
            if (continuity.server(connection, record, from).timeline() != record.timeline()) {
                throw new TidegateException(
                        ErrorCode.SOURCE_UNAVAILABLE, "the server began another timeline since this session began");
            }
            continuity.slot(control, from).refuseActive();
            Duration timeout = SlotWatch.shown(connection.show("wal_sender_timeout"));
            CopyStream stream = start(connection, continuity, control, from);
            reading(stream, connection, continuity, control, from);
            continuity.publication(control, record);
            TableChanges changes = TableChanges.look(config, control, record, refused);
            if (changes.any()) {
                throw new TidegateException(ErrorCode.TABLES_CHANGED, changes.news());
            }
            CatalogueSession catalogue = new CatalogueSession(connections);
            Supplier<Connection> connect = () -> catalogue.get().connection();
            LogTables tables = record.logTables();
            CatchUp catchUp = new CatchUp(
                    oid -> tables.catchUpPoint(Integer.toUnsignedLong(oid)),
                    new CurrentRows(catalogue, new SnapshotTables(config.publication())),
                    RaisedLsn.catchUpEnd(position));
            PgOutputDecoder decoder = new PgOutputDecoder(
                    new SqlTypeCatalogue(connect), new SqlKeyCatalogue(connect), filter(tables), catchUp, from);
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

    private TableFilter filter(LogTables tables) {
        return new TableFilter(
                oid -> tables.captured(Integer.toUnsignedLong(oid)),
                oid -> tables.skipPoint(Integer.toUnsignedLong(oid)),
                config::asksFor);
    }

    /** The session in which the reader of the log looks types, keys and rows up; opened when it is needed. */
    private static final class CatalogueSession implements Supplier<SqlSession> {

        private final Connections connections;
        private @Nullable SqlSession session;

        CatalogueSession(Connections connections) {
            this.connections = connections;
        }

        @Override
        public SqlSession get() {
            SqlSession current = session;
            if (current == null || closed(current)) {
                current = connections.control();
                session = current;
            }
            return current;
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
