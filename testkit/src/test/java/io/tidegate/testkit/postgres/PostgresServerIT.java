package io.tidegate.testkit.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.net.LoopbackPort;
import io.tidegate.testkit.tls.TestAuthority;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

class PostgresServerIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void keepsCommittedRowsWhenKilledAndStartedAgainOnTheSamePort(int version) throws SQLException {
        try (PostgresServer server = PostgresServer.version(version).start()) {
            assertThat(server.query("SHOW server_version").get(0)).startsWith(version + ".");
            server.execute(
                    "CREATE TABLE kept (id int)", "CHECKPOINT", "INSERT INTO kept SELECT generate_series(1, 1000)");
            int port = server.port();

            server.kill();
            assertThat(server.isRunning()).isFalse();
            assertThat(LoopbackPort.isFree(port)).isTrue();
            server.start();

            assertThat(server.port()).isEqualTo(port);
            assertThat(server.query("SELECT count(*) FROM kept")).containsExactly("1000");
            assertThat(server.log()).contains("database system was not properly shut down");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void isDurableReplicatesLogicallyAndListensOnLoopbackOnly(int version) throws SQLException {
        try (PostgresServer server = PostgresServer.version(version).start()) {
            for (String expected : List.of(
                    "fsync=on",
                    "synchronous_commit=on",
                    "full_page_writes=on",
                    "wal_level=logical",
                    "max_wal_senders=20",
                    "max_replication_slots=20",
                    "max_connections=100",
                    "shared_buffers=64MB",
                    "dynamic_shared_memory_type=mmap",
                    "listen_addresses=127.0.0.1",
                    "unix_socket_directories=",
                    "lc_messages=C",
                    "server_encoding=UTF8",
                    "lc_collate=C")) {
                String name = expected.substring(0, expected.indexOf('='));
                // lc_collate is a setting up to version 15, a property of the database in all.
                String value = name.equals("lc_collate")
                        ? server.query("SELECT datcollate FROM pg_database WHERE datname = 'postgres'")
                                .get(0)
                        : server.query("SHOW " + name).get(0);
                assertThat(name + "=" + value).isEqualTo(expected);
            }
        }
    }

    @Test
    void refusesToRunWhenFsyncWasSwitchedOffBehindItsBack() throws SQLException {
        try (PostgresServer server = PostgresServer.version(17).start()) {
            server.execute("ALTER SYSTEM SET fsync = off");
            server.stopImmediate();

            assertThatThrownBy(server::start).hasMessageContaining("fsync is off");
            assertThat(server.isRunning()).isFalse();
        }
    }

    @Test
    void takesSettingsAlsoOverItsDefaults() throws SQLException {
        try (PostgresServer server = PostgresServer.version(17)
                .setting("wal_level", "replica")
                .setting("log_line_prefix", "it's \\ %p ")
                .setting("fsync", "off")
                .start()) {
            assertThat(server.query("SHOW wal_level")).containsExactly("replica");
            assertThat(server.query("SHOW log_line_prefix")).containsExactly("it's \\ %p ");
            assertThat(server.query("SHOW fsync")).containsExactly("off");
        }
    }

    @Test
    void stopsFastWithACheckpoint() throws SQLException {
        try (PostgresServer server = PostgresServer.version(17).start()) {
            server.execute("CREATE TABLE kept AS SELECT 1 AS id");

            assertThat(server.stopFast(LIMIT)).isTrue();
            assertThat(server.isRunning()).isFalse();
            server.start();

            assertThat(server.query("SELECT id FROM kept")).containsExactly("1");
            assertThat(server.log()).contains("database system was shut down at");
            assertThat(server.log()).doesNotContain("not properly shut down");
        }
    }

    @Test
    void saysThatAFastStopIsHeldUpByAReceiverThatConfirmsNothing() throws SQLException {
        try (PostgresServer server =
                PostgresServer.version(17).setting("wal_sender_timeout", "0").start()) {
            server.execute(
                    "CREATE TABLE changed (id int)",
                    "CREATE PUBLICATION everything FOR ALL TABLES",
                    "SELECT pg_create_logical_replication_slot('slow', 'pgoutput')");
            try (Connection receiver = server.connectForReplication("postgres")) {
                var stream = receiver.unwrap(PGConnection.class)
                        .getReplicationAPI()
                        .replicationStream()
                        .logical()
                        .withSlotName("slow")
                        .withSlotOption("proto_version", "1")
                        .withSlotOption("publication_names", "everything")
                        .start();
                assertThat(stream.isClosed()).isFalse();
                server.execute("INSERT INTO changed SELECT generate_series(1, 1000)");

                assertThat(server.stopFast(Duration.ofSeconds(1))).isFalse();
                assertThat(server.isRunning()).isTrue();
                server.kill();

                assertThat(server.isRunning()).isFalse();
                server.start();
                assertThat(server.query("SELECT count(*) FROM changed")).containsExactly("1000");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("waysToRun")
    void leavesNothingBehindWhenKilledAndClosed(RunAs runAs) throws SQLException, IOException {
        PostgresServer server = PostgresServer.version(17).runAs(runAs).start();
        long pid = server.pid();
        Path folder = server.folder();
        // A backend that is busy does not notice that its postmaster is gone.
        Properties properties = login(PostgresServer.SUPERUSER, "");
        properties.setProperty("socketTimeout", "60");
        try (Connection connection = server.connect("postgres", properties);
                Statement statement = connection.createStatement()) {
            Thread busy = new Thread(() -> {
                try {
                    statement.execute("DO $$ BEGIN LOOP END LOOP; END $$");
                } catch (SQLException expected) {
                    // The server is killed in the middle of it.
                }
            });
            busy.start();
            Await.until(
                    "the busy backend",
                    LIMIT,
                    () -> !server.query("SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO %'")
                            .isEmpty());
            List<Long> processes = ProcessHandle.of(pid)
                    .orElseThrow()
                    .children()
                    .map(ProcessHandle::pid)
                    .toList();
            assertThat(processes).hasSizeGreaterThan(5);

            server.kill();

            assertThat(processes).noneMatch(PostgresServerIT::runs);
        }
        server.close();
        assertThat(folder).doesNotExist();
        assertThat(sharedMemoryCreators()).doesNotContain(pid);
    }

    static List<RunAs> waysToRun() {
        return RunAs.available();
    }

    @Test
    void endsWithItsFolderWhenClosedWhileRunning() {
        PostgresServer server = PostgresServer.version(17).start();
        ProcessHandle postmaster = ProcessHandle.of(server.pid()).orElseThrow();

        server.close();

        assertThat(postmaster.isAlive()).isFalse();
        assertThat(server.folder()).doesNotExist();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit", "kill"})
    void endsWithItsFolderWhenTheJvmEnds(String end) throws IOException {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ForgetfulMain.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = jvm.inputReader()) {
            Path folder = Path.of(output.readLine());
            ProcessHandle postmaster =
                    ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
            assertThat(folder).exists();
            assertThat(postmaster.isAlive()).isTrue();

            if (end.equals("kill")) {
                jvm.destroyForcibly();
            } else {
                jvm.getOutputStream().close();
            }

            Await.until("the server to end", LIMIT, () -> !runs(postmaster.pid()));
            Await.until("its folder to be deleted", LIMIT, () -> !Files.exists(folder));
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** Starts a server, and ends without closing it when its input does. */
    static final class ForgetfulMain {
        private ForgetfulMain() {}

        public static void main(String[] args) throws IOException {
            PostgresServer server = PostgresServer.version(17).start();
            System.out.println(server.folder());
            System.out.println(server.pid());
            System.exit(System.in.read() == -1 ? 0 : 1);
        }
    }

    @Test
    void keepsAFolderThatWasGivenAndUsesItAgain(@TempDir Path folder) throws SQLException {
        String identifier = "SELECT system_identifier FROM pg_control_system()";
        List<String> before;
        int port;
        try (PostgresServer first = PostgresServer.version(17).folder(folder).start()) {
            before = first.query(identifier);
            port = first.port();
        }
        try (PostgresServer second =
                PostgresServer.version(17).folder(folder).port(port).start()) {
            assertThat(second.query(identifier)).isEqualTo(before);
            assertThat(second.port()).isEqualTo(port);
        }
        assertThat(folder.resolve("data/PG_VERSION")).exists();
    }

    @Test
    void failsWithTheServersLogWhenItDoesNotStart() {
        assertThatThrownBy(() -> PostgresServer.version(17)
                        .setting("no_such_setting", "1")
                        .start())
                .hasMessageContaining("unrecognized configuration parameter \"no_such_setting\"");
    }

    @Test
    void checksWhoLogsInAsTheGivenRulesSay() throws SQLException {
        try (PostgresServer server = PostgresServer.version(17)
                .hba("host all app 127.0.0.1/32 scram-sha-256")
                .start()) {
            server.execute("CREATE ROLE app LOGIN PASSWORD 'right'", "CREATE ROLE other LOGIN");
            try (Connection connection = server.connect("postgres", login("app", "right"))) {
                assertThat(connection.isValid(1)).isTrue();
            }
            assertThatThrownBy(() -> server.connect("postgres", login("app", "wrong")))
                    .hasMessageContaining("password authentication failed");
            assertThatThrownBy(() -> server.connect("postgres", login("other", "")))
                    .hasMessageContaining("no pg_hba.conf entry");
        }
    }

    @Test
    void provesItsIdentityWithACertificateOfTheGivenAuthority(@TempDir Path folder) throws SQLException, IOException {
        TestAuthority authority = TestAuthority.create("the authority");
        Path trusted = Files.writeString(folder.resolve("trusted.pem"), authority.certificatePem());
        Path strange = Files.writeString(
                folder.resolve("strange.pem"), TestAuthority.create("another").certificatePem());
        try (PostgresServer server = PostgresServer.version(17)
                .ssl(authority)
                .hba("hostssl all all 127.0.0.1/32 trust")
                .start()) {
            server.execute("CREATE ROLE app LOGIN");
            Properties properties = login("app", "");
            properties.setProperty("sslmode", "verify-full");
            properties.setProperty("sslrootcert", trusted.toString());
            try (Connection connection = server.connect("postgres", properties);
                    Statement statement = connection.createStatement();
                    var row = statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getBoolean(1)).isTrue();
            }
            properties.setProperty("sslrootcert", strange.toString());
            assertThatThrownBy(() -> server.connect("postgres", properties)).hasMessageContaining("SSL error");
        }
    }

    private static Properties login(String user, String password) {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        return properties;
    }

    /** A process that has ended may wait, as a zombie, for its new parent to ask for it. */
    private static boolean runs(long pid) {
        try {
            String status = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return status.charAt(status.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException gone) {
            return false;
        }
    }

    /** The process ids that have made System V shared memory segments which are still there. */
    private static List<Long> sharedMemoryCreators() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/sysvipc/shm"))) {
            return lines.skip(1)
                    .map(line -> Long.parseLong(line.trim().split("\\s+", -1)[4]))
                    .toList();
        }
    }
}
