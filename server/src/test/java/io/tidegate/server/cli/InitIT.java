package io.tidegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.config.Connectors;
import io.tidegate.spi.Secret;
import io.tidegate.spi.SplitState;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.net.LoopbackPort;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a URL to changes in a file, on a server that asks for passwords. */
class InitIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String PASSWORD = "s3cret word/?#%40";

    private static PostgresServer server;

    @TempDir
    Path folder;

    private final Map<String, String> environment = new HashMap<>(Map.of("PGPASSWORD", PASSWORD));
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private @Nullable String typed;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresServer.version(17)
                .hba("host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256")
                .start();
        server.execute(
                "CREATE ROLE cdc LOGIN REPLICATION PASSWORD '" + PASSWORD + "'", "CREATE DATABASE shop OWNER cdc");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void clear() throws SQLException {
        server.executeIn(
                "shop",
                "DROP SCHEMA public CASCADE",
                "DROP SCHEMA IF EXISTS \"Odd: #1\" CASCADE",
                "CREATE SCHEMA public AUTHORIZATION cdc",
                "CREATE SCHEMA \"Odd: #1\" AUTHORIZATION cdc");
    }

    @Test
    void whatInitWritesIsAcceptedByCheckAndDeliveredByRun() throws Exception {
        asCdc(
                "CREATE TABLE public.orders (id int PRIMARY KEY, note text)",
                "INSERT INTO public.orders SELECT g, 'n' || g FROM generate_series(1, 1200) g",
                "CREATE TABLE \"Odd: #1\".\"it's \"\"so\"\" ${env:HOME}\" (a int, b int, PRIMARY KEY (b, a))",
                "CREATE TABLE public.parts (id int PRIMARY KEY) PARTITION BY RANGE (id)",
                "CREATE TABLE public.parts_1 PARTITION OF public.parts FOR VALUES FROM (0) TO (100)",
                "CREATE TABLE public.full_one (a int)",
                "ALTER TABLE public.full_one REPLICA IDENTITY FULL",
                "CREATE VIEW public.seen AS SELECT 1 AS one",
                "CREATE UNLOGGED TABLE public.fleeting (id int PRIMARY KEY)",
                "CREATE TABLE public.keyless (a int)",
                "CREATE TABLE public.silent (id int PRIMARY KEY)",
                "ALTER TABLE public.silent REPLICA IDENTITY NOTHING",
                "INSERT INTO \"Odd: #1\".\"it's \"\"so\"\" ${env:HOME}\" VALUES (1, 2)");
        server.executeIn("shop", "ANALYZE public.orders");
        Path file = folder.resolve("shop.yaml");

        assertThat(init(url(), "-o", file.toString())).as(() -> out + "" + err).isZero();

        String text = Files.readString(file);
        assertThat(text)
                .contains(
                        "pipeline: shop\n",
                        "    password: ${env:PGPASSWORD}\n",
                        "      - public.orders  # about 1200 rows, ",
                        " KiB, key id\n",
                        "key b, a\n",
                        "- public.full_one  # rows unknown, 0 B, no primary key, identity full",
                        "      # - public.seen  a view, whose changes are not in the log\n",
                        "      # - public.fleeting  an unlogged table, whose changes are not in the log\n",
                        "      # - public.keyless  nothing identifies its rows: no primary key and no replica identity;"
                                + " to mend it: ALTER TABLE \"public\".\"keyless\" REPLICA IDENTITY FULL;\n",
                        "      # - public.silent  nothing identifies its rows: its replica identity is NOTHING; to mend it:"
                                + " ALTER TABLE \"public\".\"silent\" REPLICA IDENTITY DEFAULT;\n")
                .doesNotContain("parts_1");
        assertThat(text + out + err).doesNotContain("s3cret");
        assertThat(execute("check", file.toString())).as(() -> out + "" + err).isZero();
        assertThat(out.toString()).contains("pipeline shop: 0 errors, 0 warnings");

        run(file, "after");
        assertThat(delivered()).contains("\"n1200\"").contains("it's \\\"so\\\" ${env:HOME}");
        assertThat(execute("remove", "--yes", file.toString())).isZero();
    }

    @Test
    void aStateThatWasExportedAndImportedGoesOnWithoutAnotherSnapshot() throws Exception {
        asCdc(
                "CREATE TABLE public.orders (id int PRIMARY KEY, note text)",
                "INSERT INTO public.orders VALUES (1, 'old')");
        String file = folder.resolve("shop.yaml").toString();
        assertThat(init(url(), "-o", file)).isZero();
        run(Path.of(file), "first");
        out.getBuffer().setLength(0);
        assertThat(execute("state", "export", file)).isZero();
        Path exported = Files.writeString(folder.resolve("state.json"), out.toString());

        assertThat(execute("state", "reset", file)).isZero();
        assertThat(execute("check", file))
                .as("the slot is there, and its state is not")
                .isEqualTo(3);
        assertThat(execute("state", "import", file, exported.toString())).isZero();
        assertThat(execute("check", file)).isZero();
        run(Path.of(file), "second");

        assertThat(delivered().lines()).as("each row once, and no truncate").hasSize(3);
        assertThat(delivered().lines().filter(line -> line.contains("\"second\"")))
                .singleElement()
                .asString()
                .contains("\"op\":\"c\"");
        assertThat(execute("remove", "--yes", file)).isZero();
    }

    /** Runs the pipeline until a row that is made meanwhile is delivered, and the snapshot is done. */
    private void run(Path file, String note) throws Exception {
        Wiring wiring = wiring();
        ConfiguredPipeline pipeline = wiring.load(file);
        RunningPipeline running = wiring.start(pipeline);
        try {
            asCdc("INSERT INTO public.orders SELECT max(id) + 1, '" + note + "' FROM public.orders");
            Await.until("the row made after the start", LIMIT, () -> delivered().contains('"' + note + "\"}"));
            Await.until("the snapshot to be done", LIMIT, () -> {
                List<SplitState> splits = wiring.show(pipeline).splits();
                return splits.stream().anyMatch(split -> split.plan().spec().equals("log"))
                        && splits.stream()
                                .allMatch(split -> split.plan().spec().equals("log")
                                        || split.progress().done());
            });
        } finally {
            running.stop();
            assertThat(running.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void whatIsMissingIsShownWithItsStatementAndTheFileIsWrittenAllTheSame() throws Exception {
        server.executeIn(
                "shop",
                "CREATE TABLE public.theirs (id int PRIMARY KEY)",
                "CREATE PUBLICATION \"other one\" FOR ALL TABLES",
                "SELECT pg_create_logical_replication_slot('forgotten', 'pgoutput')");
        try {
            Path file = folder.resolve("shop.yaml");

            assertThat(init(url(), "-o", file.toString())).isEqualTo(3);

            assertThat(out.toString())
                    .contains("publication other one of all tables, made by postgres")
                    .contains("slot forgotten of pgoutput in database shop, not in use, holds back ")
                    .contains("GRANT SELECT ON \"public\".\"theirs\" TO \"cdc\";")
                    .contains("let its owner run: CREATE PUBLICATION \"tidegate_shop\" FOR TABLE");
            assertThat(file).content().contains("- public.theirs");
            assertThat(execute("check", file.toString())).isEqualTo(3);
        } finally {
            server.executeIn("shop", "DROP PUBLICATION \"other one\"", "SELECT pg_drop_replication_slot('forgotten')");
        }
    }

    @Test
    void onlyTheTablesThatPatternsSelectAreWrittenAndStandardOutputHoldsNothingButTheFile() throws Exception {
        asCdc(
                "CREATE TABLE public.orders (id int PRIMARY KEY)",
                "CREATE TABLE public.customers (id int PRIMARY KEY)",
                "CREATE TABLE public.other (id int PRIMARY KEY)");

        assertThat(init(url(), "-o", "-", "--tables", "orders,public.cust*", "--sink", "stdout", "--pipeline", "two"))
                .isZero();

        assertThat(out.toString())
                .startsWith("# PostgreSQL 17")
                .contains("pipeline: two\n", "- public.customers ", "- public.orders ", "  stdout:\n")
                .doesNotContain("public.other");
        assertThat(err.toString()).contains("Not selected:\n    1 more\n");
        Path file = Files.writeString(folder.resolve("two.yaml"), out.toString());
        assertThat(execute("check", file.toString())).isZero();
    }

    @Test
    void aPasswordInTheUrlOrTypedAtTheTerminalIsNeverWritten() throws Exception {
        asCdc("CREATE TABLE public.orders (id int PRIMARY KEY)");
        environment.clear();
        String inUrl = url().replace("cdc@", "cdc:s3cret%20word%2F%3F%23%2540@");
        Path one = folder.resolve("one.yaml");
        Path two = folder.resolve("two.yaml");

        assertThat(init(inUrl, "-o", one.toString())).as(() -> out + "" + err).isZero();
        typed = PASSWORD;
        assertThat(init(url(), "-o", two.toString(), "--password-env", "SHOP_PASSWORD"))
                .isZero();

        assertThat(one).content().contains("password: ${env:PGPASSWORD}");
        assertThat(two).content().contains("password: ${env:SHOP_PASSWORD}");
        assertThat(Files.readString(one) + Files.readString(two) + out + err).doesNotContain("s3cret");
        assertThat(out.toString()).contains("set the variable SHOP_PASSWORD to it");
    }

    @Test
    void whatTheUrlDoesNotLeadToIsOneErrorWithItsCodeAndStatus() throws Exception {
        asCdc("CREATE TABLE public.orders (id int PRIMARY KEY)");
        refused(5, "TG-SOURCE-UNAVAILABLE", "Check host and port", url(LoopbackPort.free(), "shop"));
        refused(2, "TG-CONFIG-INVALID", "Name a database that exists", url(server.port(), "nowhere"));
        refused(2, "TG-CONFIG-INVALID", "postgresql://", "mysql://cdc@127.0.0.1/shop");
        refused(2, "TG-CONFIG-INVALID", "user", "postgresql://127.0.0.1:" + server.port() + "/shop");
        refused(3, "TG-PREFLIGHT", "public.orders", url(), "--tables", "public.order");
        environment.put("PGPASSWORD", "wrong");
        refused(3, "TG-AUTHENTICATION", "Check user, password and pg_hba.conf", url());
        environment.clear();
        refused(3, "TG-AUTHENTICATION", "--password-env", url());
    }

    private void refused(int status, String code, String cure, String... arguments) {
        err.getBuffer().setLength(0);
        String[] all = Stream.concat(
                        Stream.of(arguments),
                        Stream.of("-o", folder.resolve("none.yaml").toString()))
                .toArray(String[]::new);
        assertThat(init(all)).as(() -> err.toString()).isEqualTo(status);
        assertThat(err.toString().lines().filter(line -> line.startsWith("TG-")))
                .as("errors")
                .hasSize(1)
                .allMatch(line -> line.startsWith(code + ": "));
        assertThat(err.toString()).contains(cure).doesNotContain("\tat ");
        assertThat(folder.resolve("none.yaml")).doesNotExist();
    }

    private String url() {
        return url(server.port(), "shop");
    }

    private static String url(int port, String database) {
        return "postgres://cdc@127.0.0.1:" + port + "/" + database + "?sslmode=disable";
    }

    private void asCdc(String... statements) throws SQLException {
        String[] all = Stream.of(statements).map(sql -> "SET ROLE cdc; " + sql).toArray(String[]::new);
        server.executeIn("shop", all);
    }

    private String delivered() {
        try (Stream<Path> files = Files.list(folder.resolve("data"))) {
            StringBuilder all = new StringBuilder();
            for (Path path : files.filter(f -> f.toString().contains(".jsonl")).toList()) {
                all.append(Files.readString(path));
            }
            return all.toString();
        } catch (IOException e) {
            return ""; // not made yet, or renamed while it was being read
        }
    }

    private int init(String... arguments) {
        return execute(Stream.concat(Stream.of("init"), Stream.of(arguments)).toArray(String[]::new));
    }

    private Wiring wiring() {
        return new Wiring(Connectors.onClassPath(), environment::get, new RealDisk(), new EngineStarter());
    }

    private int execute(String... arguments) {
        Terminal person = new Terminal() {
            @Override
            public boolean present() {
                return typed != null;
            }

            @Override
            public boolean confirm(String question) {
                return false;
            }

            @Override
            public @Nullable Secret secret(String question) {
                return Optional.ofNullable(typed).map(Secret::new).orElse(null);
            }
        };
        return CommandLines.create(wiring(), person, new PrintWriter(out, true), new PrintWriter(err, true))
                .execute(arguments);
    }
}
