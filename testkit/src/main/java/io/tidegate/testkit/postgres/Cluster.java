package io.tidegate.testkit.postgres;

import io.tidegate.testkit.tls.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The files of one server, data and log, and how its programs are started on them. */
final class Cluster {
    private final int version;
    private final Path folder;
    private final Path data;
    private final RunAs runAs;
    private final Path programs;

    Cluster(int version, Path programs, Path folder, RunAs runAs) {
        this.version = version;
        this.folder = folder;
        this.data = folder.resolve("data");
        this.runAs = runAs;
        this.programs = programs;
    }

    Path folder() {
        return folder;
    }

    Path data() {
        return data;
    }

    /** Makes the cluster if it is not there yet, and writes who may log in and with what certificate. */
    void prepare(List<String> hba, Optional<TestAuthority> authority, Duration limit) throws IOException {
        if (!Files.exists(data.resolve("PG_VERSION"))) {
            initialize(limit);
        }
        Files.writeString(data.resolve("pg_hba.conf"), hbaFile(hba));
        if (authority.isPresent()) {
            TestAuthority.Identity identity = authority.get().issue("localhost", "localhost", "127.0.0.1");
            Files.writeString(data.resolve("server.crt"), identity.certificatePem());
            Path key = data.resolve("server.key");
            Files.writeString(key, identity.keyPem());
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        }
        runAs.own(folder);
    }

    /** Writes the settings the next start reads. */
    void configure(int port, Map<String, String> settings) throws IOException {
        StringBuilder lines = new StringBuilder("port = " + port + "\n");
        settings.forEach((name, value) -> lines.append(name)
                .append(" = '")
                .append(value.replace("\\", "\\\\").replace("'", "''"))
                .append("'\n"));
        Path file = data.resolve("tidegate.conf");
        Files.writeString(file, lines);
        runAs.own(file);
    }

    /** Starts the server's process, the postmaster; it is not ready yet. */
    Process startPostmaster() throws IOException {
        return launch(List.of(programs.resolve("postgres").toString(), "-D", data.toString()));
    }

    /**
     * Whether the postmaster takes connections. Line 1 of its lock file is its process id, line 8 its status
     * (src/include/utils/pidfile.h).
     */
    boolean isReady(long pid) throws IOException {
        Path lockFile = data.resolve("postmaster.pid");
        if (!Files.exists(lockFile)) {
            return false;
        }
        List<String> lines = Files.readAllLines(lockFile, StandardCharsets.UTF_8);
        return lines.size() >= 8
                && lines.get(0).trim().equals(Long.toString(pid))
                && lines.get(7).trim().equals("ready");
    }

    /** All that the server has written to its log, over all starts. */
    String log() {
        try {
            Path log = folder.resolve("log");
            return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the server's log", e);
        }
    }

    private void initialize(Duration limit) throws IOException {
        Files.createDirectories(data);
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
        runAs.own(folder);
        Process initdb = launch(List.of(
                programs.resolve("initdb").toString(),
                "--pgdata=" + data,
                "--username=" + PostgresServer.SUPERUSER,
                "--auth=trust",
                "--encoding=UTF8",
                "--no-locale",
                // The files of an empty cluster need not outlive the machine.
                "--no-sync"));
        if (!PostgresServer.await(initdb, limit) || initdb.exitValue() != 0) {
            throw new StartFailed("initdb of PostgreSQL " + version + " failed", log());
        }
        Files.writeString(
                data.resolve("postgresql.conf"),
                Files.readString(data.resolve("postgresql.conf")) + "\ninclude 'tidegate.conf'\n");
    }

    private static String hbaFile(List<String> lines) {
        return "host all " + PostgresServer.SUPERUSER + " 127.0.0.1/32 trust\n"
                + "host replication " + PostgresServer.SUPERUSER + " 127.0.0.1/32 trust\n"
                + String.join("\n", lines) + "\n";
    }

    private Process launch(List<String> program) throws IOException {
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(runAs.command(program));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(data.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()));
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("LC_"));
        environment.put("LC_ALL", "C");
        return builder.start();
    }
}
