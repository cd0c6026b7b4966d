package io.tidegate.connector.jdbc;

import io.tidegate.spi.Column;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Place;
import io.tidegate.spi.TidegateException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.postgresql.Driver;

/** PostgreSQL 14 and later. */
final class PostgresDialect implements Dialect {

    private static final System.Logger LOG = System.getLogger(PostgresDialect.class.getName());
    private static final int NAME_BYTES_MAX = 63;
    private static final String CONNECT_SECONDS = "10";
    private static final int OPEN_MILLIS_MAX = 90_000;
    private static final int VERSION_17 = 170000;
    /** As long as a transaction may wait for its client. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private static final SqlFailures FAILURES = new PostgresFailures();
    private static final CellStyle CELLS = new PostgresCells();

    /**
     * What texts mean, what a commit is worth, and how long is waited. A client that is gone is noticed, so that a dead
     * session's transaction does not hold its locks for hours. search_path stays, for the sake of triggers.
     */
    private static final List<String> SETTINGS = List.of(
            "SET datestyle = 'ISO, YMD'",
            "SET intervalstyle = 'iso_8601'",
            "SET timezone = 'UTC'",
            "SET lc_monetary = 'C'",
            "SET xmloption = 'content'",
            "SET array_nulls = on",
            "SET client_min_messages = 'warning'",
            "SET row_security = off",
            "SET default_transaction_read_only = off",
            "SET statement_timeout = 0",
            "SET idle_session_timeout = 0",
            "SET tcp_keepalives_idle = 30",
            "SET tcp_keepalives_interval = 10",
            "SET tcp_keepalives_count = 3",
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'");

    private final Duration silence;

    PostgresDialect() {
        this(SILENCE);
    }

    PostgresDialect(Duration silence) {
        this.silence = silence;
    }

    @Override
    public String system() {
        return "postgres";
    }

    @Override
    public Connection connect(JdbcConfig config) throws SQLException {
        JdbcConfig.Login login = config.login();
        Properties properties = new Properties();
        if (login.user() != null) {
            properties.setProperty("user", login.user());
        }
        if (login.password() != null) {
            properties.setProperty("password", login.password().reveal());
        }
        properties.setProperty("sslmode", login.tlsMode());
        if (login.ca() != null) {
            properties.setProperty("sslrootcert", login.ca().toString());
        }
        properties.setProperty("connectTimeout", CONNECT_SECONDS);
        properties.setProperty("loginTimeout", CONNECT_SECONDS);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "tidegate " + config.pipeline());
        properties.setProperty("targetServerType", "primary");
        // The driver's own cache would keep the statements of tables that changed.
        properties.setProperty("preparedStatementCacheQueries", "0");
        String url = "jdbc:postgresql://" + login.url().authority() + "/"
                + java.net.URLEncoder.encode(login.url().database(), StandardCharsets.UTF_8)
                        .replace("+", "%20");
        Connection connection = PlainSocketFactory.recorded(properties, with -> new Driver().connect(url, with));
        if (connection == null) {
            throw new SQLException("the driver does not know the URL", "08001");
        }
        try {
            prepare(connection, config);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public void abort(Connection connection) throws SQLException {
        PlainSocketFactory.abort(connection);
    }

    private void prepare(Connection connection, JdbcConfig config) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, OPEN_MILLIS_MAX);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        try (Statement statement = connection.createStatement()) {
            for (String setting : SETTINGS) {
                statement.execute(setting);
            }
            statement.execute("SET idle_in_transaction_session_timeout = " + silence.toMillis());
            statement.execute("SET lock_timeout = " + config.lockTimeout().toMillis());
            if (Sql.one(connection, "SHOW server_version_num", row -> row.getInt(1)) >= VERSION_17) {
                statement.execute("SET transaction_timeout = 0");
            }
            try {
                statement.execute("SET client_connection_check_interval = '10s'");
            } catch (SQLException notOnThisPlatform) {
                if (!"22023".equals(notOnThisPlatform.getSQLState())) {
                    throw notOnThisPlatform;
                }
            }
        }
    }

    /** A COPY waits for its client without a limit, and is not idle in the sense of {@code idle_in_transaction_session_timeout}. */
    @Override
    public void endSilent(Connection connection, TableName positions) {
        try {
            terminateSilent(connection, positions);
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.INFO, "whether a session is stuck in a COPY is not known: {0}", e.getMessage());
        }
    }

    private void terminateSilent(Connection connection, TableName positions) throws SQLException {
        Sql.list(
                connection,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity a"
                        + " WHERE datname = current_database() AND usename = session_user AND pid <> pg_backend_pid()"
                        + " AND application_name = current_setting('application_name')"
                        + " AND state = 'active' AND wait_event = 'ClientRead'"
                        + " AND query_start < clock_timestamp() - ? * interval '1 millisecond'"
                        + " AND EXISTS (SELECT 1 FROM pg_locks l WHERE l.pid = a.pid AND l.relation = to_regclass(?))",
                row -> row.getBoolean(1),
                silence.toMillis(),
                quote(positions));
    }

    @Override
    public SqlFailures failures() {
        return FAILURES;
    }

    @Override
    public RowWriter rows(Connection connection) {
        return new PostgresRows(connection, this);
    }

    @Override
    public CellStyle cells() {
        return CELLS;
    }

    @Override
    public String quote(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    @Override
    public String currentSchema(Connection connection) throws SQLException {
        String schema = Sql.one(connection, "SELECT current_schema()", row -> row.getString(1));
        if (schema == null) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "position_table names no schema, and no schema of the role's search_path exists",
                    "Write position_table: schema.table.",
                    null);
        }
        return schema;
    }

    @Override
    public Optional<Description> describe(Connection connection, TableName name) throws SQLException {
        return new PostgresCatalogue(connection).describe(name);
    }

    @Override
    public boolean schemaExists(Connection connection, String schema) throws SQLException {
        return Sql.one(
                connection, "SELECT to_regnamespace(quote_ident(?)) IS NOT NULL", row -> row.getBoolean(1), schema);
    }

    @Override
    public Optional<String> missingRight(Connection connection, TableName name, boolean there) throws SQLException {
        String user = Sql.one(connection, "SELECT current_user", row -> row.getString(1));
        String role = quote(user);
        if (!there) {
            boolean may = Sql.one(
                    connection,
                    "SELECT coalesce(has_schema_privilege(to_regnamespace(quote_ident(?))::oid, 'CREATE'), false)",
                    row -> row.getBoolean(1),
                    name.schema());
            return may
                    ? Optional.empty()
                    : Optional.of("GRANT CREATE, USAGE ON SCHEMA " + quote(name.schema()) + " TO " + role);
        }
        List<String> missing = new ArrayList<>();
        for (String right : List.of("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE")) {
            if (!Sql.one(
                    connection, "SELECT has_table_privilege(?, ?)", row -> row.getBoolean(1), quote(name), right)) {
                missing.add(right);
            }
        }
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of("GRANT " + String.join(", ", missing) + " ON " + quote(name) + " TO " + role);
    }

    @Override
    public List<TableName> tables(Connection connection, String schema) throws SQLException {
        return Sql.list(
                connection,
                "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE n.nspname = ? AND c.relkind IN ('r', 'p') ORDER BY 1",
                row -> new TableName(schema, row.getString(1)),
                schema);
    }

    @Override
    public void checkName(TableName name) {
        for (String part : List.of(name.schema(), name.name())) {
            if (part.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX) {
                throw new TidegateException(
                        ErrorCode.CONFIG_INVALID,
                        "the name '" + part + "' is longer than the " + NAME_BYTES_MAX
                                + " bytes that PostgreSQL keeps of it",
                        "Choose shorter names with names.schema and names.table.",
                        null);
            }
        }
    }

    @Override
    public String newType(Connection connection, Column column, boolean key, boolean sameSystem) throws SQLException {
        if (sameSystem) {
            return PostgresCatalogue.knows(connection, column.nativeType()) ? column.nativeType() : "text";
        }
        return switch (column.type()) {
            case BOOLEAN -> "boolean";
            case INT16 -> "smallint";
            case INT32 -> "integer";
            case INT64 -> "bigint";
            case UNSIGNED64 -> "numeric(20)";
            case FLOAT32 -> "real";
            case FLOAT64 -> "double precision";
            case DECIMAL -> "numeric";
            case STRING, ENUM, OTHER, ARRAY -> "text";
            case BYTES -> "bytea";
            case UUID -> "uuid";
            case DATE -> "date";
            case TIME -> "time";
            case TIMESTAMP -> "timestamp";
            case TIMESTAMP_ZONED -> "timestamptz";
            case INTERVAL -> "interval";
            case JSON -> "json";
        };
    }

    @Override
    public String createPositionTable(TableName name) {
        return "CREATE TABLE IF NOT EXISTS " + quote(name)
                + " (pipeline text, lineage text, epoch bigint NOT NULL DEFAULT 0, ordinal bytea,"
                + " changed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (pipeline, lineage))";
    }

    @Override
    public String createAppendTable(TableName name) {
        return "CREATE TABLE IF NOT EXISTS " + quote(name)
                + " (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, op text NOT NULL, lineage text NOT NULL,"
                + " ordinal bytea, position text NOT NULL, committed_at timestamptz NOT NULL, snapshot text,"
                + " attempt integer, catch_up boolean NOT NULL, change json NOT NULL)";
    }

    @Override
    public String createSchema(String schema) {
        return "CREATE SCHEMA IF NOT EXISTS " + quote(schema);
    }

    @Override
    public String alterType(TableName table, String column, String type) {
        return "ALTER TABLE " + quote(table) + " ALTER COLUMN " + quote(column) + " TYPE " + type;
    }

    @Override
    public String insertPosition(TableName name) {
        return "INSERT INTO " + quote(name) + " (pipeline, lineage) VALUES (?, ?) ON CONFLICT DO NOTHING";
    }

    @Override
    public List<Finding> check(Connection connection, JdbcConfig config) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        if (Sql.one(connection, "SELECT pg_is_in_recovery()", row -> row.getBoolean(1))) {
            findings.add(Finding.error(
                    ErrorCode.PREFLIGHT, "the target", "it is a standby: nothing can be written", "Name the primary."));
        }
        for (String setting : List.of("fsync", "full_page_writes")) {
            if (Sql.one(connection, "SHOW " + setting, row -> row.getString(1)).equals("off")) {
                findings.add(Finding.warning(
                        ErrorCode.PREFLIGHT,
                        "the target's setting " + setting,
                        "it is off: what the target confirmed can be lost when its machine fails",
                        "ALTER SYSTEM SET " + setting + " = on"));
            }
        }
        return findings;
    }

    @Override
    public Optional<Place> place(Connection connection) throws SQLException {
        return Optional.of(Sql.one(
                connection,
                "SELECT system_identifier::text, current_database() FROM pg_control_system()",
                row -> new Place(system(), row.getString(1), row.getString(2))));
    }
}
