package io.tidegate.connector.jdbc;

import io.tidegate.spi.Secret;
import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkConnector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The sink {@code jdbc}: rows in the tables of a database. */
public final class JdbcConnector implements SinkConnector {

    static final Setting<Secret> URL = Setting.secret(
                    "url",
                    "Where the database is: postgresql://user:password@host:5432/database, or mariadb://… Parts with special"
                            + " characters are percent-encoded. Never printed.")
            .mandatory();
    static final Setting<String> USER = Setting.text("user", null, "The role, unless the URL names it.");
    static final Setting<Secret> PASSWORD =
            Setting.secret("password", "The role's password, with any characters, unless the URL holds it.");
    static final Setting<String> TLS_MODE = Setting.choice(
            "tls.mode",
            "default",
            List.of("default", "disable", "prefer", "require", "verify-ca", "verify-full"),
            "As sslmode of libpq. default: verify-full if tls.ca is given, else prefer for PostgreSQL and disable for MariaDB,"
                    + " which has no prefer.");
    static final Setting<String> TLS_CA =
            Setting.text("tls.ca", null, "A file with the certificates (PEM) that the server's must come from.");
    static final Setting<String> MODE = Setting.choice(
            "mode",
            "upsert",
            List.of("upsert", "append"),
            "upsert: the target's tables get the rows of the source's, by key. append: each change becomes a row of a table"
                    + " that is only added to.");
    static final Setting<String> NAMES_SCHEMA = Setting.text(
            "names.schema",
            JdbcConfig.Names.SCHEMA,
            "The schema (of MariaDB: the database) of a target table; {schema} and {table} stand for the source's names.");
    static final Setting<String> NAMES_TABLE = Setting.text(
            "names.table",
            JdbcConfig.Names.TABLE,
            "The name of a target table; {schema} and {table} stand for the source's names.");
    static final Setting<Boolean> CREATE_TABLES = Setting.bool(
            "create_tables",
            false,
            "Whether missing tables and schemas are made. false: a missing table is an error with the statement.");
    static final Setting<String> SCHEMA = Setting.choice(
            "schema",
            "fixed",
            List.of("fixed", "evolve"),
            "fixed: a column that the target lacks is an error with the statement. evolve: it is added.");
    static final Setting<String> TRUNCATE = Setting.choice(
            "truncate",
            "apply",
            List.of("apply", "ignore", "reject"),
            "What a truncate does in mode upsert. ignore also keeps the rows when a snapshot begins again.");
    static final Setting<String> POSITION_TABLE = Setting.text(
            "position_table",
            "tidegate_position",
            "The table with the ordinal of the last change of each pipeline, with or without a schema; made if it is not there.");
    static final Setting<Duration> LOCK_TIMEOUT = Setting.duration(
            "lock_timeout",
            "60s",
            Duration.ofSeconds(1),
            Duration.ofHours(1),
            "How long a statement waits for a lock that somebody else holds; then the session ends and is tried again.");

    static {
        // MariaDB's driver logs each error of the server, to the console if need be, with its text, which repeats
        // values of
        // rows. It reads this once, when its first class is loaded.
        System.setProperty("mariadb.logging.disable", "true");
    }

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                URL,
                USER,
                PASSWORD,
                TLS_MODE,
                TLS_CA,
                MODE,
                NAMES_SCHEMA,
                NAMES_TABLE,
                CREATE_TABLES,
                SCHEMA,
                TRUNCATE,
                POSITION_TABLE,
                LOCK_TIMEOUT);
    }

    @Override
    public Sink create(Settings settings) {
        JdbcConfig config = config(settings);
        return new JdbcSink(config, Dialect.of(config.login().url()));
    }

    static JdbcConfig config(Settings settings) {
        return new JdbcConfig(
                settings.pipeline(),
                login(settings),
                JdbcConfig.Mode.valueOf(settings.get(MODE).toUpperCase(Locale.ROOT)),
                new JdbcConfig.Names(template(settings, NAMES_SCHEMA), template(settings, NAMES_TABLE)),
                settings.get(CREATE_TABLES),
                settings.get(SCHEMA).equals("evolve"),
                JdbcConfig.Truncates.valueOf(settings.get(TRUNCATE).toUpperCase(Locale.ROOT)),
                positionTable(settings),
                settings.get(LOCK_TIMEOUT));
    }

    private static JdbcConfig.Login login(Settings settings) {
        TargetUrl url = url(settings);
        String user = once(settings, USER, url.user(), settings.find(USER).orElse(null));
        Secret password =
                once(settings, PASSWORD, url.password(), settings.find(PASSWORD).orElse(null));
        Path ca = settings.find(TLS_CA)
                .map(file -> settings.folder().resolve(file))
                .orElse(null);
        String mode = settings.get(TLS_MODE);
        if (ca != null && !mode.startsWith("verify") && !mode.equals("default")) {
            settings.invalid(
                    TLS_MODE,
                    "a CA file is given, but the mode '" + mode + "' does not verify the server",
                    "write verify-full, or leave tls.ca out");
        }
        if (ca == null && mode.startsWith("verify")) {
            settings.invalid(
                    TLS_MODE,
                    "the mode '" + mode + "' verifies the server and needs a CA file",
                    "give tls.ca; the system's is often /etc/ssl/certs/ca-certificates.crt");
        }
        if (mode.equals("prefer") && url.scheme().equals("mariadb")) {
            settings.invalid(TLS_MODE, "MariaDB's driver has no mode 'prefer'", "write require or disable");
        }
        if (mode.equals("default")) {
            mode = ca != null ? "verify-full" : url.scheme().equals("mariadb") ? "disable" : "prefer";
        }
        return new JdbcConfig.Login(url, user, password, mode, ca);
    }

    private static TargetUrl url(Settings settings) {
        try {
            return TargetUrl.parse(settings.get(URL).reveal());
        } catch (TargetUrl.Malformed e) {
            settings.invalid(
                    URL,
                    e.problem(),
                    "write postgresql://user@host:5432/database or mariadb://user@host:3306/database; in a user name or"
                            + " password write / as %2F, ? as %3F, @ as %40, % as %25, or give the password by 'password'");
            return new TargetUrl("postgresql", "localhost", "unknown", null, null);
        }
    }

    private static <T> @Nullable T once(Settings settings, Setting<T> setting, @Nullable T inUrl, @Nullable T apart) {
        if (inUrl != null && apart != null) {
            settings.invalid(setting, "the URL gives it too", "give it once");
        }
        return inUrl == null ? apart : inUrl;
    }

    private static String template(Settings settings, Setting<String> setting) {
        String template = settings.get(setting);
        String fixed = template.replace(JdbcConfig.Names.SCHEMA, "").replace(JdbcConfig.Names.TABLE, "");
        if (template.isEmpty() || fixed.contains("{") || fixed.contains("}")) {
            settings.invalid(
                    setting,
                    "it is not a template",
                    "use letters and the words {schema} and {table}, such as {schema}_{table}");
        }
        return template;
    }

    private static TableName positionTable(Settings settings) {
        String text = settings.get(POSITION_TABLE);
        int dot = text.indexOf('.');
        TableName name = new TableName(dot < 0 ? "" : text.substring(0, dot), text.substring(dot + 1));
        if (name.name().isEmpty() || dot == 0 || name.name().indexOf('.') >= 0) {
            settings.invalid(
                    POSITION_TABLE, "it is not the name of a table", "write table or schema.table, without quotes");
        }
        return name;
    }
}
