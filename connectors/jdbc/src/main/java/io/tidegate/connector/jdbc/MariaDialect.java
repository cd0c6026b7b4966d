package io.tidegate.connector.jdbc;

import io.tidegate.spi.Column;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Place;
import io.tidegate.spi.TidegateException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.mariadb.jdbc.Driver;

/** MariaDB 10.7 and later. A schema is what MariaDB calls a database. */
final class MariaDialect implements Dialect {

    private static final int NAME_CHARACTERS_MAX = 64;
    private static final int KEY_CHARACTERS = 255;
    private static final int KEY_CHARACTERS_MAX = 700;
    private static final int DECIMAL_DIGITS_MAX = 65;
    private static final int DECIMAL_SCALE_MAX = 38;
    private static final String CONNECT_MILLIS = "10000";
    private static final int OPEN_MILLIS_MAX = 90_000;
    private static final Pattern VARCHAR = Pattern.compile("character varying\\((\\d+)\\)");
    private static final Pattern NUMERIC = Pattern.compile("numeric\\((\\d+),(\\d+)\\)");
    private static final SqlFailures FAILURES = new MariaFailures();
    private static final CellStyle CELLS = new MariaCells();

    /** Bytes as they are: no two texts are equal, and blanks at the end count. */
    static final String EXACT_TEXT = " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin";

    /**
     * Strict: what does not fit is an error. NO_AUTO_VALUE_ON_ZERO and explicit_defaults_for_timestamp: a zero or null that is
     * written is a zero or null.
     */
    private static final List<String> SETTINGS = List.of(
            "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
                    + "NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO'",
            "SET SESSION time_zone = '+00:00'",
            "SET SESSION explicit_defaults_for_timestamp = 1",
            "SET SESSION foreign_key_checks = 1",
            "SET SESSION unique_checks = 1",
            "SET SESSION max_statement_time = 0",
            "SET SESSION idle_transaction_timeout = 60");

    @Override
    public String system() {
        return "mariadb";
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
        properties.setProperty("sslMode", login.tlsMode().equals("require") ? "trust" : login.tlsMode());
        if (login.ca() != null) {
            properties.setProperty("serverSslCert", login.ca().toString());
        }
        properties.setProperty("connectTimeout", CONNECT_MILLIS);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("useAffectedRows", "false");
        properties.setProperty("connectionAttributes", "program_name:tidegate " + config.pipeline());
        String url = "jdbc:mariadb://" + login.url().authority() + "/"
                + URLEncoder.encode(login.url().database(), StandardCharsets.UTF_8)
                        .replace("+", "%20");
        Connection connection = new Driver().connect(url, properties);
        if (connection == null) {
            throw new SQLException("the driver does not know the URL", "08001");
        }
        try {
            connection.setNetworkTimeout(Runnable::run, OPEN_MILLIS_MAX);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            for (String setting : SETTINGS) {
                Sql.execute(connection, setting);
            }
            long seconds = config.lockTimeout().toSeconds();
            Sql.execute(connection, "SET SESSION innodb_lock_wait_timeout = " + seconds);
            Sql.execute(connection, "SET SESSION lock_wait_timeout = " + seconds);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public SqlFailures failures() {
        return FAILURES;
    }

    @Override
    public RowWriter rows(Connection connection) {
        return new MariaRows(connection, this);
    }

    @Override
    public CellStyle cells() {
        return CELLS;
    }

    @Override
    public String quote(String name) {
        return '`' + name.replace("`", "``") + '`';
    }

    @Override
    public String currentSchema(Connection connection) throws SQLException {
        return Sql.one(connection, "SELECT DATABASE()", row -> row.getString(1));
    }

    @Override
    public Optional<Description> describe(Connection connection, TableName name) throws SQLException {
        return new MariaCatalogue(connection).describe(name);
    }

    @Override
    public void checkTransactional(Connection connection, TableName name) throws SQLException {
        List<String> engines = Sql.list(
                connection,
                "SELECT engine FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                row -> row.getString(1),
                name.schema(),
                name.name());
        if (!engines.equals(List.of("InnoDB"))) {
            throw new TidegateException(
                    ErrorCode.PREFLIGHT,
                    "the table " + name.display() + " is of the engine " + engines
                            + ", which takes part in no transaction",
                    "ALTER TABLE " + quote(name) + " ENGINE = InnoDB",
                    null);
        }
    }

    @Override
    public boolean schemaExists(Connection connection, String schema) throws SQLException {
        return !Sql.list(
                        connection,
                        "SELECT 1 FROM information_schema.schemata WHERE schema_name = ?",
                        row -> row.getInt(1),
                        schema)
                .isEmpty();
    }

    /** MariaDB cannot be asked for rights but by trying: what is missing is said when it is met. */
    @Override
    public Optional<String> missingRight(Connection connection, TableName name, boolean there) {
        return Optional.empty();
    }

    @Override
    public List<TableName> tables(Connection connection, String schema) throws SQLException {
        return Sql.list(
                connection,
                "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE'"
                        + " ORDER BY 1",
                row -> new TableName(schema, row.getString(1)),
                schema);
    }

    @Override
    public void checkName(TableName name) {
        for (String part : List.of(name.schema(), name.name())) {
            if (part.codePointCount(0, part.length()) > NAME_CHARACTERS_MAX) {
                throw new TidegateException(
                        ErrorCode.CONFIG_INVALID,
                        "the name '" + part + "' is longer than MariaDB's " + NAME_CHARACTERS_MAX + " characters",
                        "Choose shorter names with names.schema and names.table.",
                        null);
            }
        }
    }

    @Override
    public String newType(Connection connection, Column column, boolean key, boolean sameSystem) {
        return switch (column.type()) {
            case BOOLEAN -> "BOOLEAN";
            case INT16 -> "SMALLINT";
            case INT32 -> "INT";
            case INT64 -> "BIGINT";
            case UNSIGNED64 -> "BIGINT UNSIGNED";
            case FLOAT32, FLOAT64 -> "DOUBLE";
            case DECIMAL -> decimal(column.nativeType());
            case STRING, ENUM, OTHER -> text(column.nativeType(), key);
            case BYTES -> key ? "VARBINARY(" + KEY_CHARACTERS + ")" : "LONGBLOB";
            case UUID -> "UUID";
            case DATE -> "DATE";
            case TIME -> column.nativeType().contains("with time zone") ? "VARCHAR(32)" + EXACT_TEXT : "TIME(6)";
            case TIMESTAMP, TIMESTAMP_ZONED -> "DATETIME(6)";
            case INTERVAL -> "VARCHAR(" + KEY_CHARACTERS + ")" + EXACT_TEXT;
            case JSON, ARRAY -> key ? text("", true) : "LONGTEXT" + EXACT_TEXT;
        };
    }

    private static String text(String nativeType, boolean key) {
        Matcher limited = VARCHAR.matcher(nativeType);
        int length = limited.matches() ? Integer.parseInt(limited.group(1)) : 0;
        if (key) {
            return "VARCHAR(" + (length > 0 && length <= KEY_CHARACTERS_MAX ? length : KEY_CHARACTERS) + ")"
                    + EXACT_TEXT;
        }
        return "LONGTEXT" + EXACT_TEXT;
    }

    /** Without limits of its own: as many digits on both sides of the point as there can be; what does not fit is refused. */
    private static String decimal(String nativeType) {
        Matcher limited = NUMERIC.matcher(nativeType);
        if (limited.matches()) {
            int digits = Integer.parseInt(limited.group(1));
            int scale = Integer.parseInt(limited.group(2));
            if (digits <= DECIMAL_DIGITS_MAX && scale <= DECIMAL_SCALE_MAX && scale <= digits) {
                return "DECIMAL(" + digits + "," + scale + ")";
            }
        }
        return "DECIMAL(65,30)";
    }

    @Override
    public String createPositionTable(TableName name) {
        String text = "VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL";
        return "CREATE TABLE IF NOT EXISTS " + quote(name) + " (pipeline " + text + ", lineage " + text
                + ", epoch BIGINT NOT NULL DEFAULT 0, ordinal VARBINARY(255),"
                + " changed_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (pipeline, lineage)) ENGINE=InnoDB";
    }

    @Override
    public String createAppendTable(TableName name) {
        return "CREATE TABLE IF NOT EXISTS " + quote(name)
                + " (seq BIGINT AUTO_INCREMENT PRIMARY KEY, op VARCHAR(1) NOT NULL, lineage VARCHAR(255)" + EXACT_TEXT
                + " NOT NULL, ordinal VARBINARY(255), position VARCHAR(255)" + EXACT_TEXT
                + " NOT NULL, committed_at DATETIME(6) NOT NULL, snapshot VARCHAR(255)" + EXACT_TEXT
                + ", attempt INT, catch_up BOOLEAN NOT NULL, `change` LONGTEXT" + EXACT_TEXT
                + " NOT NULL) ENGINE=InnoDB";
    }

    @Override
    public String createSchema(String schema) {
        return "CREATE DATABASE IF NOT EXISTS " + quote(schema);
    }

    @Override
    public String alterType(TableName table, String column, String type) {
        return "ALTER TABLE " + quote(table) + " MODIFY " + quote(column) + " " + type;
    }

    @Override
    public String insertPosition(TableName name) {
        return "INSERT INTO " + quote(name)
                + " (pipeline, lineage) VALUES (?, ?) ON DUPLICATE KEY UPDATE epoch = epoch";
    }

    @Override
    public List<Finding> check(Connection connection, JdbcConfig config) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        if (Sql.one(connection, "SELECT @@global.read_only", row -> row.getBoolean(1))) {
            findings.add(Finding.error(
                    ErrorCode.PREFLIGHT,
                    "the target",
                    "it is read only: a replica, perhaps",
                    "Name the primary, or SET GLOBAL read_only = 0"));
        }
        if (Sql.one(connection, "SELECT @@global.innodb_flush_log_at_trx_commit", row -> row.getInt(1)) != 1) {
            findings.add(Finding.warning(
                    ErrorCode.PREFLIGHT,
                    "the target's setting innodb_flush_log_at_trx_commit",
                    "it is not 1: what the target confirmed can be lost when its machine fails",
                    "SET GLOBAL innodb_flush_log_at_trx_commit = 1"));
        }
        return findings;
    }

    @Override
    public Optional<Place> place(Connection connection) {
        return Optional.empty(); // no source reads from MariaDB yet
    }
}
