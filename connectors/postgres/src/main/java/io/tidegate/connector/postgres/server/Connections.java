package io.tidegate.connector.postgres.server;

import io.tidegate.connector.postgres.config.ServerConfig;
import io.tidegate.connector.postgres.config.TlsConfig;
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

    /**
     * Settings that the text of values, or the meaning of names, depends on (rule 15), and limits that would end a long
     * read (rule 5).
     */
    private static final String PINNED = "SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres';"
            + " SET bytea_output = 'hex'; SET extra_float_digits = 1; SET timezone = 'UTC'; SET lc_monetary = 'C';"
            + " SET search_path = ''; SET client_min_messages = 'warning'; SET row_security = off;"
            + " SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0;"
            + " SET idle_session_timeout = 0";

    private static final String PINNED_SINCE_17 = "SET transaction_timeout = 0";
    private static final int VERSION_17 = 170000;

    private final ServerConfig server;
    private final Set<SqlSession> open = ConcurrentHashMap.newKeySet();
    private volatile boolean aborted;

    public Connections(ServerConfig server) {
        this.server = server;
    }

    public ServerConfig server() {
        return server;
    }

    /** For short questions. */
    public SqlSession control() {
        SqlSession session = ordinary("the control connection to " + server.display(), CONTROL_TIMEOUT_SECONDS);
        return session;
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
            session.execute(PINNED);
            if (session.one("SHOW server_version_num", row -> row.getInt(1)) >= VERSION_17) {
                session.execute(PINNED_SINCE_17);
            }
            return session;
        } catch (TidegateException e) {
            session.close();
            throw e;
        }
    }

    /** Speaks the replication protocol. */
    public SqlSession replication(String what) {
        Properties properties = properties();
        properties.setProperty("replication", "database");
        properties.setProperty("preferQueryMode", "simple");
        properties.setProperty("assumeMinServerVersion", "9.4");
        properties.setProperty("socketTimeout", "0");
        return open(properties, what);
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
        if (tls.mode().verifies() && tls.ca() == null) {
            // What the JVM trusts; the driver's own default is a file in the home directory.
            properties.setProperty("sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory");
        }
        file(properties, "sslrootcert", tls.ca());
        file(properties, "sslcert", tls.cert());
        file(properties, "sslkey", tls.key());
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
                throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, what + ": the session is being ended");
            }
            return session;
        } catch (SQLException e) {
            throw Failures.of(e, what);
        }
    }

    /** Cuts all connections, and those that are still being opened. */
    public void abort() {
        aborted = true;
        open.forEach(SqlSession::abort);
    }

    @Override
    public void close() {
        open.forEach(SqlSession::close);
    }
}
