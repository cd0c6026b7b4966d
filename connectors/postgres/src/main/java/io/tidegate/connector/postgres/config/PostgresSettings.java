package io.tidegate.connector.postgres.config;

import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Secret;
import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import io.tidegate.spi.TidegateException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The keys under {@code source: postgres:}, and how they become a {@link PostgresConfig}. */
public final class PostgresSettings {

    static final Setting<Secret> URL = Setting.secret(
                    "url",
                    "Where the database is: postgresql://user:password@host:5432/database?sslmode=verify-full. Parts with"
                            + " special characters are percent-encoded. Never printed.")
            .mandatory();
    static final Setting<String> USER = Setting.text("user", null, "The role, unless the URL names it.");
    static final Setting<Secret> PASSWORD =
            Setting.secret("password", "The role's password, with any characters, unless the URL holds it.");
    static final Setting<List<String>> TABLES = Setting.list(
                    "tables",
                    "Which tables are read: schema.table, where * stands for any characters and ? for one; names are"
                            + " quoted as in SQL. Without a schema: public.")
            .mandatory();
    static final Setting<Boolean> CREATE = Setting.bool(
            "create",
            true,
            "Whether slot and publication may be created. false: nothing is created or changed in the database; both were"
                    + " made by somebody else, and slot.adopt is true.");
    static final Setting<String> SLOT_NAME =
            Setting.text("slot.name", null, "The replication slot; tidegate_<pipeline> unless given.");
    static final Setting<Boolean> SLOT_ADOPT = Setting.bool(
            "slot.adopt", false, "Whether a slot that was there before this pipeline is taken over, where it stands.");
    static final Setting<String> PUBLICATION_NAME =
            Setting.text("publication.name", null, "The publication; tidegate_<pipeline> unless given.");
    static final Setting<Boolean> ACCEPT_PARTIAL = Setting.bool(
            "publication.accept_partial",
            false,
            "Whether a publication is accepted that leaves out updates, deletes, inserts or truncates: these changes are"
                    + " never seen.");
    static final Setting<String> SNAPSHOT = Setting.choice(
            "snapshot",
            "initial",
            List.of("initial", "when_lost", "none", "only"),
            "initial: first all rows, then the log. when_lost: the same, and all rows again whenever changes after the"
                    + " checkpoint are gone (slot, publication or table lost), where initial stops. none: the log only. only:"
                    + " all rows, then the pipeline is complete.");
    static final Setting<Boolean> AUTO_ADD = Setting.bool(
            "auto_add",
            false,
            "Whether a table that appears later and matches 'tables' is captured; false: it is reported. The log pauses"
                    + " while the new table's rows are read.");
    static final Setting<String> STALE_ROWS = Setting.choice(
            "stale_rows",
            "truncate",
            List.of("truncate", "keep"),
            "What a repeated snapshot of a table begins with. truncate: a truncate, so that rows deleted meanwhile do not"
                    + " stay. keep: nothing.");
    static final Setting<Long> SNAPSHOT_PARALLEL =
            Setting.integer("snapshot_parallel", 2, 1, 64, "How many chunks are read at once.");
    static final Setting<Long> SNAPSHOT_CHUNK = Setting.size(
            "snapshot_chunk", "256MiB", 1 << 20, 1L << 40, "The size of a chunk of a table, in pages of the table.");
    static final Setting<Long> MAX_ROW_BYTES = Setting.size(
            "max_row_bytes", "80MiB", 1 << 10, 1 << 30, "The largest row that is read; a larger one is an error.");
    static final Setting<List<String>> MESSAGES = Setting.list(
            "messages",
            "Which logical messages (pg_logical_emit_message) are given as changes, by their prefix: * stands for any"
                    + " characters and ? for one. None unless given.");
    static final Setting<String> TLS_MODE = Setting.text(
            "tls.mode",
            null,
            "sslmode of libpq: disable, allow, prefer, require, verify-ca or verify-full. prefer, or verify-full if tls.ca"
                    + " is given.");
    static final Setting<String> TLS_CA =
            Setting.text("tls.ca", null, "A file with the certificates (PEM) that the server's must come from.");
    static final Setting<String> TLS_CERT = Setting.text("tls.cert", null, "Our certificate (PEM), with tls.key.");
    static final Setting<String> TLS_KEY =
            Setting.text("tls.key", null, "The key of tls.cert: PKCS-8, as PEM or DER, or a PKCS-12 file.");
    static final Setting<Secret> TLS_KEY_PASSWORD = Setting.secret("tls.key_password", "Opens an encrypted tls.key.");
    static final Setting<String> APPLICATION_NAME = Setting.text(
            "application_name", null, "What the server shows for our connections; 'tidegate <pipeline>' unless given.");

    private static final int NAME_BYTES_MAX = 63;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final Settings settings;
    private final ConnectionUrl url;

    private PostgresSettings(Settings settings) {
        this.settings = settings;
        this.url = url();
    }

    public static List<Setting<?>> all() {
        return List.of(
                URL,
                USER,
                PASSWORD,
                TABLES,
                CREATE,
                SLOT_NAME,
                SLOT_ADOPT,
                PUBLICATION_NAME,
                ACCEPT_PARTIAL,
                AUTO_ADD,
                SNAPSHOT,
                STALE_ROWS,
                SNAPSHOT_PARALLEL,
                SNAPSHOT_CHUNK,
                MAX_ROW_BYTES,
                MESSAGES,
                TLS_MODE,
                TLS_CA,
                TLS_CERT,
                TLS_KEY,
                TLS_KEY_PASSWORD,
                APPLICATION_NAME);
    }

    /**
     * Patterns that come from elsewhere than the configuration.
     *
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID}
     */
    public static List<TablePattern> patterns(List<String> texts) {
        List<TablePattern> patterns = new ArrayList<>();
        for (String text : texts) {
            try {
                patterns.add(TablePattern.parse(text));
            } catch (TablePattern.Malformed e) {
                throw new TidegateException(
                        ErrorCode.CONFIG_INVALID,
                        String.valueOf(e.getMessage()),
                        "Write schema.table, or '\"My Schema\".\"My Table\"'.",
                        e);
            }
        }
        return patterns;
    }

    /** Reads all settings; what contradicts itself is reported through {@link Settings#invalid}. */
    public static PostgresConfig read(Settings settings) {
        return new PostgresSettings(settings).config();
    }

    private PostgresConfig config() {
        boolean create = settings.get(CREATE);
        boolean adopt = settings.get(SLOT_ADOPT);
        SnapshotMode mode = SnapshotMode.valueOf(settings.get(SNAPSHOT).toUpperCase(Locale.ROOT));
        if (!create && !adopt && mode != SnapshotMode.ONLY) {
            settings.invalid(
                    CREATE, "with 'create: false' the slot was made beforehand", "write slot.adopt: true as well");
        }
        return new PostgresConfig(
                settings.pipeline(),
                server(),
                tables(),
                create,
                slot(),
                adopt,
                publication(),
                settings.get(ACCEPT_PARTIAL),
                settings.get(AUTO_ADD),
                mode,
                settings.get(STALE_ROWS).equals("keep"),
                settings.get(SNAPSHOT_PARALLEL).intValue(),
                settings.get(SNAPSHOT_CHUNK),
                settings.get(MAX_ROW_BYTES).intValue(),
                messages(mode));
    }

    private ConnectionUrl url() {
        try {
            return ConnectionUrl.parse(settings.get(URL).reveal());
        } catch (ConnectionUrl.Malformed e) {
            settings.invalid(URL, e.problem(), e.cure());
            return new ConnectionUrl(
                    List.of(new ConnectionUrl.Host("invalid", ConnectionUrl.DEFAULT_PORT)),
                    "invalid",
                    null,
                    null,
                    new TreeMap<>());
        }
    }

    private ServerConfig server() {
        String user = once(USER, settings.find(USER).orElse(null), url.user(), "user");
        if (user == null) {
            settings.invalid(USER, "no user is given", "write postgresql://user@host/database, or 'user'");
            user = "";
        }
        Secret fromUrl = url.password();
        Secret password = settings.find(PASSWORD).orElse(fromUrl);
        if (fromUrl != null && !fromUrl.equals(password)) {
            settings.invalid(PASSWORD, "the URL holds another password", "give the password once");
        }
        String name = parameter(APPLICATION_NAME, "application_name");
        return new ServerConfig(
                url.hosts(),
                url.database() == null ? user : url.database(),
                user,
                password,
                name == null ? "tidegate " + settings.pipeline() : name,
                connectTimeout(),
                tls(),
                driverOptions());
    }

    private Duration connectTimeout() {
        String text = url.parameters().get("connect_timeout");
        if (text == null) {
            return CONNECT_TIMEOUT;
        }
        if (!text.matches("[1-9][0-9]{0,3}")) {
            settings.invalid(URL, "connect_timeout is not a number of seconds from 1 to 9999", "connect_timeout=10");
            return CONNECT_TIMEOUT;
        }
        return Duration.ofSeconds(Integer.parseInt(text));
    }

    private Map<String, String> driverOptions() {
        Map<String, String> options = new HashMap<>();
        choice(options, "channel_binding", "channelBinding", List.of("disable", "prefer", "require"));
        choice(options, "gssencmode", "gssEncMode", List.of("disable", "prefer", "require"));
        choice(options, "sslnegotiation", "sslNegotiation", List.of("postgres", "direct"));
        return options;
    }

    private void choice(Map<String, String> options, String parameter, String property, List<String> words) {
        String word = url.parameters().get(parameter);
        if (word == null) {
            return;
        }
        if (!words.contains(word)) {
            settings.invalid(
                    URL, parameter + " is none of " + String.join(", ", words), parameter + "=" + words.get(0));
        }
        options.put(property, word);
    }

    private TlsConfig tls() {
        Path ca = path(TLS_CA, "sslrootcert");
        Path cert = path(TLS_CERT, "sslcert");
        Path key = path(TLS_KEY, "sslkey");
        String urlKeyPassword = url.parameters().get("sslpassword");
        Secret keyPassword =
                settings.find(TLS_KEY_PASSWORD).orElse(urlKeyPassword == null ? null : new Secret(urlKeyPassword));
        String word = parameter(TLS_MODE, "sslmode");
        TlsConfig.Mode mode = ca == null ? TlsConfig.Mode.PREFER : TlsConfig.Mode.VERIFY_FULL;
        if (word != null) {
            Optional<TlsConfig.Mode> known = TlsConfig.Mode.of(word);
            if (known.isEmpty()) {
                settings.invalid(
                        settings.find(TLS_MODE).isPresent() ? TLS_MODE : URL,
                        "the TLS mode is none of " + String.join(", ", TlsConfig.Mode.words()),
                        "verify-full");
            }
            mode = known.orElse(TlsConfig.Mode.VERIFY_FULL);
        }
        TlsConfig tls = new TlsConfig(mode, ca, cert, key, keyPassword);
        tls.contradiction().ifPresent(problem -> settings.invalid(TLS_MODE, problem, "verify-full"));
        return tls;
    }

    private @Nullable Path path(Setting<String> setting, String parameter) {
        String text = parameter(setting, parameter);
        return text == null ? null : settings.folder().resolve(text);
    }

    /** A value that can be given as a setting or in the URL, but not in both with different content. */
    private @Nullable String parameter(Setting<String> setting, String parameter) {
        return once(
                setting, settings.find(setting).orElse(null), url.parameters().get(parameter), parameter);
    }

    private @Nullable String once(
            Setting<String> setting, @Nullable String given, @Nullable String inUrl, String parameter) {
        if (given != null && inUrl != null && !given.equals(inUrl)) {
            settings.invalid(setting, "the URL's " + parameter + " says something else", "give it once");
        }
        return given == null ? inUrl : given;
    }

    private List<TablePattern> tables() {
        List<TablePattern> patterns = new ArrayList<>();
        for (String text : settings.get(TABLES)) {
            try {
                patterns.add(TablePattern.parse(text));
            } catch (TablePattern.Malformed e) {
                settings.invalid(TABLES, String.valueOf(e.getMessage()), "schema.table, or \"My Schema\".\"My Table\"");
            }
        }
        if (settings.get(TABLES).isEmpty()) {
            settings.invalid(TABLES, "no table is named", "public.*");
        }
        return patterns;
    }

    private List<PrefixPattern> messages(SnapshotMode mode) {
        List<String> prefixes = settings.find(MESSAGES).orElse(List.of());
        if (mode == SnapshotMode.ONLY && !prefixes.isEmpty()) {
            settings.invalid(MESSAGES, "with 'snapshot: only' the log is not read", "leave 'messages' out");
        }
        return prefixes.stream().map(PrefixPattern::parse).toList();
    }

    private String slot() {
        Optional<String> given = settings.find(SLOT_NAME);
        if (given.isPresent() && !given.get().matches("[a-z0-9_]{1,63}")) {
            settings.invalid(
                    SLOT_NAME,
                    "a slot's name has lower-case letters, digits and underscores only, 63 at most",
                    defaultName());
        }
        return given.orElseGet(this::defaultName);
    }

    private String publication() {
        Optional<String> given = settings.find(PUBLICATION_NAME);
        if (given.isPresent()
                && (given.get().isEmpty() || given.get().getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX)) {
            settings.invalid(PUBLICATION_NAME, "a publication's name has 1 to 63 bytes", defaultName());
        }
        return given.orElseGet(this::defaultName);
    }

    private String defaultName() {
        String name = "tidegate_" + settings.pipeline().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
        if (name.length() > NAME_BYTES_MAX) {
            settings.invalid(SLOT_NAME, "the pipeline's name is too long to name a slot after it", "slot.name: short");
        }
        return name;
    }
}
