package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.postgres.value.Seen;
import io.tidegate.connector.postgres.value.TypeCases;
import io.tidegate.spi.Change;
import io.tidegate.spi.Op;
import io.tidegate.spi.Row;
import io.tidegate.spi.SourceSession;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import io.tidegate.testkit.settings.MapSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I16: one row gives one value, from snapshot and log, in JVMs of any time zone, locale and file encoding. */
class SameValueIT {

    private static final int VERSION = 17;

    /** Reads rows 1 by a snapshot, inserts them again as 2, reads those from the log; writes both down. */
    public static void main(String[] arguments) throws Exception {
        String url = "postgresql://postgres@" + arguments[0];
        MapSettings settings =
                new MapSettings(new TreeMap<>(Map.of("url", url, "tables", "t*", "slot.name", arguments[1])));
        TypeCases cases = TypeCases.of(VERSION);
        SourceLoop loop = new SourceLoop(new PostgresConnector().create(settings));
        try (SourceSession session = loop.open()) {
            loop.prepare(session);
            loop.readSnapshot(session);
            try (Connection connection =
                            DriverManager.getConnection("jdbc:postgresql://" + arguments[0], "postgres", "");
                    Statement statement = connection.createStatement()) {
                for (String sql : cases.inserts(2)) {
                    statement.execute(sql);
                }
            }
            loop.readLog(session, changes -> changes.size() >= 2 * cases.tableCount());
        }
        Map<Op, StringBuilder> seen = new EnumMap<>(Op.class);
        loop.taken.stream()
                .sorted(Comparator.comparing(change -> change.table().name()))
                .forEach(change -> seen.computeIfAbsent(change.op(), op -> new StringBuilder())
                        .append(text(change)));
        Files.write(
                Path.of(arguments[2]),
                seen.values().stream().map(StringBuilder::toString).toList(),
                StandardCharsets.UTF_8);
    }

    private static String text(Change change) {
        Row row = Objects.requireNonNull(change.after());
        List<String> values = new ArrayList<>();
        for (int i = 1; i < change.table().columns().size(); i++) {
            values.add(change.table().columns().get(i) + " " + Seen.of(row, i).replaceAll("[\n\r]", "<line end>"));
        }
        return String.join(" | ", values);
    }

    @Test
    void aRowGivesTheSameValuesFromSnapshotAndLogInAnyJvm(@TempDir Path folder) throws Exception {
        TypeCases cases = TypeCases.of(VERSION);
        try (SharedPostgres.Database db = SharedPostgres.version(VERSION).fresh()) {
            db.execute(cases.tables().toArray(String[]::new));
            db.execute(cases.inserts(1).toArray(String[]::new));
            // What a role or a database sets must not reach the values either.
            for (String setting : List.of(
                    "datestyle = 'SQL, DMY'",
                    "intervalstyle = 'postgres'",
                    "timezone = 'Asia/Tokyo'",
                    "bytea_output = 'escape'",
                    "extra_float_digits = -3")) {
                db.execute("ALTER DATABASE " + db.name() + " SET " + setting);
            }
            List<String> seen = new ArrayList<>();
            seen.addAll(inJvm(db, folder, "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8", "-Duser.language=en"));
            seen.addAll(inJvm(
                    db,
                    folder,
                    "-Duser.timezone=Europe/Amsterdam",
                    "-Dfile.encoding=ISO-8859-1",
                    "-Duser.language=tr",
                    "-Duser.country=TR"));
            seen.addAll(inJvm(
                    db,
                    folder,
                    "-Duser.timezone=Asia/Kathmandu",
                    "-Dfile.encoding=US-ASCII",
                    "-Duser.language=th",
                    "-Duser.country=TH",
                    "-Duser.variant=TH"));
            seen.addAll(inJvm(
                    db,
                    folder,
                    "-Duser.timezone=America/New_York",
                    "-Dfile.encoding=UTF-16",
                    "-Duser.language=ar",
                    "-Duser.country=EG"));
            assertThat(seen).hasSize(8).containsOnly(seen.get(0));
            assertThat(seen.get(0))
                    .contains(
                            "type=ENUM, nativeType=public.mood] string:a'b\"c",
                            "TIMESTAMP_ZONED:2024-03-10T07:30:00Z",
                            "é 漢 😀 İi");
        }
    }

    private static List<String> inJvm(SharedPostgres.Database db, Path folder, String... options) throws Exception {
        PostgresServer server = db.server();
        Path seen = Files.createTempFile(folder, "seen", ".txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m"));
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                SameValueIT.class.getName(),
                "127.0.0.1:" + server.port() + "/" + db.name(),
                "s_" + db.name(),
                seen.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve("output")))
                .isZero();
        for (int table = 0; table < TypeCases.of(VERSION).tableCount(); table++) {
            db.execute("DELETE FROM t" + table + " WHERE id = 2");
        }
        db.execute("DROP PUBLICATION tidegate_shop");
        db.query("SELECT pg_drop_replication_slot('s_" + db.name() + "')");
        return Files.readAllLines(seen, StandardCharsets.UTF_8);
    }
}
