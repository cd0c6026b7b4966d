package io.tidegate.connector.postgres.server;

import io.tidegate.connector.postgres.config.ServerConfig;
import io.tidegate.connector.postgres.config.TlsConfig;
import io.tidegate.connector.postgres.wire.PgErrors;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.connector.postgres.wire.SessionSettings;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/** Opens connections to one server and knows those that are open, so that all can be cut at once. Any thread. */
public final class Connections implements AutoCloseable {

    /** Seconds within which a query of the control connection must be answered. */
    private static final String CONTROL_TIMEOUT_SECONDS = "30";

    /** Row security fails instead of hiding rows, and no limit ends a long read (rules 5 and 6). */
    private static final String UNLIMITED = "SET row_security = off; SET statement_timeout = 0; SET lock_timeout = 0;"
            + " SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0";

    private static final String UNLIMITED_SINCE_17 = "SET transaction_timeout = 0";
    private static final int VERSION_17 = 170000;

    private final ServerConfig server;
    private final Set<SqlSession> open = ConcurrentHashMap.newKeySet();
    private final Set<ReplicationConnection> walsenders = ConcurrentHashMap.newKeySet();
    private volatile boolean aborted;

    public Connections(ServerConfig server) {
        this.server = server;
    }

    public ServerConfig server() {
        return server;
    }

    /** For short questions. */
    public SqlSession control() {
        return ordinary("asking " + server.display(), CONTROL_TIMEOUT_SECONDS);
    }

    /** For statements that may take any time. */
    public SqlSession patient(String what) {
        return ordinary(what, "0");
    }

    private SqlSession ordinary(String what, String timeoutSeconds) {
        Properties properties = properties();
        properties.setProperty("socketTimeout", timeoutSeconds);
        SqlSession session = open(properties, what);
        try {
            SessionSettings.statements().forEach(session::execute);
            session.execute(UNLIMITED);
            if (session.one("SHOW server_version_num", row -> row.getInt(1)) >= VERSION_17) {
                session.execute(UNLIMITED_SINCE_17);
            }
            return session;
        } catch (TidegateException e) {
            session.close();
            throw e;
        }
    }

    /** Speaks the replication protocol. */
    public ReplicationConnection replication() {
        ReplicationConnection connection = ReplicationConnection.open(url(), properties());
        walsenders.add(connection);
        if (aborted) {
            connection.close();
            throw ended("the replication connection");
        }
        return connection;
    }

    /** Says that a connection was closed by its owner. */
    public void closed(ReplicationConnection connection) {
        walsenders.remove(connection);
    }

    /** The driver's URL: hosts and database only, nothing secret. */
    public String url() {
        return "jdbc:postgresql://"
                + server.hosts().stream().map(Object::toString).collect(Collectors.joining(","))
                + "/"
                + java.net.URLEncoder.encode(server.database(), java.nio.charset.StandardCharsets.UTF_8)
                        .replace("+", "%20");
    }

    /** The driver's properties for any connection of this pipeline. */
    public Properties properties() {
        Properties properties = new Properties();
        server.driverOptions().forEach(properties::setProperty);
        properties.setProperty("user", server.user());
        if (server.password() != null) {
            properties.setProperty("password", server.password().reveal());
        }
        properties.setProperty("ApplicationName", server.applicationName());
        String seconds = Long.toString(Math.max(1, server.connectTimeout().toSeconds()));
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("loginTimeout", seconds);
        properties.setProperty("tcpKeepAlive", "true");
        if (server.hosts().size() > 1) {
            properties.setProperty("targetServerType", "primary");
        }
        tls(server.tls(), properties);
        return properties;
    }

    private static void tls(TlsConfig tls, Properties properties) {
        properties.setProperty("sslmode", tls.mode().word());
        file(properties, "sslrootcert", tls.ca());
        file(properties, "sslcert", tls.cert());
        file(properties, "sslkey", tls.key());
        if (tls.key() != null) {
            KeyFile.algorithm(tls.key()).ifPresent(name -> properties.setProperty("pemKeyAlgorithm", name));
        }
        if (tls.keyPassword() != null) {
            properties.setProperty("sslpassword", tls.keyPassword().reveal());
        }
    }

    private static void file(Properties properties, String name, @Nullable Path path) {
        if (path != null) {
            if (!Files.isReadable(path)) {
                throw new TidegateException(ErrorCode.TLS, "cannot read the file " + path);
            }
            properties.setProperty(name, path.toString());
        }
    }

    private SqlSession open(Properties properties, String what) {
        try {
            Connection connection = new Driver().connect(url(), properties);
            if (connection == null) {
                throw new TidegateException(ErrorCode.INTERNAL, "the driver does not know " + url());
            }
            // Removed by its own close; the array lets the session name itself.
            SqlSession[] self = new SqlSession[1];
            SqlSession session = new SqlSession(connection, what, () -> open.remove(self[0]));
            self[0] = session;
            open.add(session);
            if (aborted) {
                session.close();
                throw ended(what);
            }
            return session;
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, what);
        }
    }

    private static TidegateException ended(String what) {
        return new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, what + ": the session is being ended");
    }

    /** Cuts all connections, and those that are still being opened. */
    public void abort() {
        aborted = true;
        open.forEach(SqlSession::abort);
        walsenders.forEach(ReplicationConnection::abort);
    }

    @Override
    public void close() {
        open.forEach(SqlSession::close);
        walsenders.forEach(ReplicationConnection::close);
        walsenders.clear();
    }
}
