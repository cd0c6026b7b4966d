package io.tidegate.connector.postgres.discover;

import io.tidegate.connector.postgres.birth.Preflight;
import io.tidegate.connector.postgres.config.ConnectionUrl;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresSettings;
import io.tidegate.connector.postgres.config.TablePattern;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Discovery;
import io.tidegate.spi.Discovery.Entry;
import io.tidegate.spi.Discovery.Request;
import io.tidegate.spi.Discovery.Table;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.GivenSettings;
import io.tidegate.spi.Secret;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Looks at one database, and at what a pipeline of its tables would lack. */
public final class PostgresDiscovery {

    private static final String SUBJECT = "source postgres";
    private static final String EVERYTHING = "*.*";

    private final Request request;
    private final ConnectionUrl url;
    private final List<TablePattern> patterns;

    private PostgresDiscovery(Request request) {
        this.request = request;
        this.url = url(request.url());
        this.patterns = config(request.tables().isEmpty() ? List.of(EVERYTHING) : request.tables())
                .tables();
    }

    public static Discovery of(Request request) {
        PostgresDiscovery discovery = new PostgresDiscovery(request);
        try {
            return discovery.look();
        } catch (TidegateException e) {
            throw new TidegateException(e.code(), String.valueOf(e.getMessage()), discovery.advice(e), e);
        }
    }

    private Discovery look() {
        PostgresConfig config = config(List.of(EVERYTHING));
        try (Connections connections = new Connections(config.server());
                SqlSession control = connections.control()) {
            List<Table> tables = Catalogue.tables(control, patterns);
            refuseNothing(tables);
            List<String> captured =
                    tables.stream().filter(Table::captured).map(Table::name).toList();
            List<Finding> findings = captured.isEmpty()
                    ? List.of()
                    : Preflight.run(config(captured), connections, control, Checkpoint.EMPTY);
            String version = control.one("SHOW server_version", row -> row.getString(1));
            return new Discovery(
                    "PostgreSQL " + version + ", database " + config.server().database() + " at "
                            + config.server().display() + ", as role "
                            + config.server().user(),
                    settings(),
                    "tables",
                    tables,
                    Catalogue.existing(control),
                    findings);
        }
    }

    /** A pattern that selects nothing is a slip of the pen, which the file that is written would hide. */
    private void refuseNothing(List<Table> tables) {
        if (tables.stream().noneMatch(Table::selected)) {
            String what = request.tables().isEmpty() ? "holds no table" : "holds no table that --tables matches";
            throw new TidegateException(
                    ErrorCode.PREFLIGHT,
                    "the database " + config(List.of(EVERYTHING)).server().database() + " " + what,
                    tables.isEmpty()
                            ? "Make the tables first, or name another database in the URL."
                            : "Write schema.table, where * stands for any characters; there is "
                                    + tables.get(0).name() + ", for example.",
                    null);
        }
    }

    private List<Entry> settings() {
        List<Entry> entries = new ArrayList<>();
        entries.add(new Entry("url", url.withoutPassword().replace("${", "$${"), true));
        boolean needed = request.password() != null || url.password() != null;
        entries.add(new Entry("password", request.passwordReference(), needed));
        return entries;
    }

    private PostgresConfig config(List<String> tables) {
        Map<String, Object> given = new HashMap<>();
        given.put("url", url.withoutPassword());
        Secret password = request.password() == null ? url.password() : request.password();
        if (password != null) {
            given.put("password", password);
        }
        given.put("tables", tables);
        return PostgresSettings.read(
                new GivenSettings(SUBJECT, request.pipeline(), request.folder(), PostgresSettings.all(), given));
    }

    private static ConnectionUrl url(String text) {
        ConnectionUrl url;
        try {
            url = ConnectionUrl.parse(text);
        } catch (ConnectionUrl.Malformed e) {
            throw new TidegateException(ErrorCode.CONFIG_INVALID, SUBJECT + ": " + e.problem() + ".", e.cure(), e);
        }
        if (url.parameters().containsKey("sslpassword")) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    SUBJECT + ": the URL holds the password of a key, which is not written to a file.",
                    "Leave sslpassword out and name a key that is not encrypted; in the file, tls.key_password can open one.",
                    null);
        }
        return url;
    }

    /** Of these codes the table's advice is for a pipeline that runs. */
    private String advice(TidegateException e) {
        if (e.code() == ErrorCode.SOURCE_UNAVAILABLE) {
            return "Check host and port of the URL, and that the server accepts connections from here.";
        }
        if (e.code() == ErrorCode.CONFIG_INVALID && e.advice().equals(ErrorCode.CONFIG_INVALID.advice())) {
            return "Name a database that exists at the end of the URL: postgresql://user@host:5432/database.";
        }
        return e.advice();
    }
}
