package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.postgres.value.Seen;
import io.tidegate.spi.Change;
import io.tidegate.spi.Row;
import io.tidegate.spi.SourceSession;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I16: one row gives one value, from snapshot and log, in JVMs of any time zone, locale and file encoding. */
class SameValueIT {

    private static final String[] TABLE = {
        "CREATE TYPE mood AS ENUM ('so so', 'gut – ok', 'null')",
        "CREATE DOMAIN posint AS int CHECK (VALUE > 0)",
        "CREATE DOMAIN moods AS mood[]",
        "CREATE TYPE pair AS (a int, b text)",
        "CREATE TABLE t (gone text, id int, PRIMARY KEY (id))",
        "ALTER TABLE t DROP COLUMN gone, ADD e mood, ADD d posint, ADD es mood[], ADD ds moods, ADD dead date,"
                + " ADD texts text[][], ADD bounds int[], ADD b bytea, ADD bs bytea[], ADD n numeric, ADD f4 real,"
                + " ADD f8 double precision, ADD da date, ADD ti time, ADD ttz timetz, ADD ts timestamp,"
                + " ADD tz timestamptz, ADD iv interval, ADD j json, ADD jb jsonb, ADD u uuid, ADD bo bool, ADD m money,"
                + " ADD bi bit(3), ADD ine inet, ADD r int4range, ADD p pair, ADD c char(3), ADD s text, ADD tzs"
                + " timestamptz[], ADD nothing text",
        "ALTER TABLE t DROP COLUMN dead"
    };

    private static final String VALUES = ", 'gut – ok', 7, '{\"so so\",\"null\",NULL}', '{\"gut – ok\"}',"
            + " '{{a,\"b c\"},{\"\",\"nüll\\\\\\\"\"}}', '[0:1]={1,2}', '\\x00ff5c', ARRAY['\\x5c'::bytea], 1.2300, 1e-7,"
            + " 0.1::float8 + 0.2::float8, '0044-03-15 BC', '24:00', '10:00:00.5+05:30:15', '2024-03-10 02:30',"
            + " '2024-03-10 02:30 America/New_York', '1 year -3 days 04:05:06.789', '{\"a\" : 1.10}', '{\"a\":1.10}',"
            + " 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', true, 1234.5, B'001', '10.0.0.1/8', '[1,3]', ROW(1,'x y'), 'ı',"
            + " E'tab\\there\\\\n \\\\N \\n é 漢 😀 İi', ARRAY['1883-11-18 12:03:57+00'::timestamptz], NULL";

    /** Reads the row with id 1 by a snapshot, inserts it again as 2, reads that from the log; writes both down. */
    public static void main(String[] arguments) throws Exception {
        String url = "postgresql://postgres@" + arguments[0];
        MapSettings settings = new MapSettings(new TreeMap<>(Map.of("url", url, "tables", "t", "slot.name", arguments[1])));
        SourceLoop loop = new SourceLoop(new PostgresConnector().create(settings));
        try (SourceSession session = loop.open()) {
            loop.prepare(session);
            loop.readSnapshot(session);
            try (Connection connection = DriverManager.getConnection("jdbc:postgresql://" + arguments[0], "postgres", "");
                    Statement statement = connection.createStatement()) {
                statement.execute("SET timezone = 'UTC'");
                statement.execute("INSERT INTO t VALUES (2" + VALUES + ")");
            }
            loop.readLog(session, changes -> changes.size() >= 2);
        }
        Files.write(Path.of(arguments[2]), List.of(text(loop.taken.get(0)), text(loop.taken.get(1))), StandardCharsets.UTF_8);
    }

    private static String text(Change change) {
        Row row = Objects.requireNonNull(change.after());
        List<String> values = new ArrayList<>();
        for (int i = 1; i < change.table().columns().size(); i++) {
            values.add(change.table().columns().get(i) + " " + Seen.of(row, i).replace("\n", "<line feed>"));
        }
        return String.join(" | ", values);
    }

    @Test
    void aRowGivesTheSameValuesFromSnapshotAndLogInAnyJvm(@TempDir Path folder) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(17).fresh()) {
            db.execute(TABLE);
            db.execute("SET timezone = 'UTC'; INSERT INTO t VALUES (1" + VALUES + ")");
            // What a role or a database sets must not reach the values either.
            for (String setting : List.of("datestyle = 'SQL, DMY'", "intervalstyle = 'iso_8601'", "timezone = 'Asia/Tokyo'",
                    "bytea_output = 'escape'", "extra_float_digits = -3")) {
                db.execute("ALTER DATABASE " + db.name() + " SET " + setting);
            }
            List<String> seen = new ArrayList<>();
            seen.addAll(inJvm(db, folder, "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8", "-Duser.language=en"));
            seen.addAll(inJvm(
                    db, folder, "-Duser.timezone=America/New_York", "-Dfile.encoding=ISO-8859-1", "-Duser.language=tr",
                    "-Duser.country=TR"));
            seen.addAll(inJvm(
                    db, folder, "-Duser.timezone=Asia/Kolkata", "-Dfile.encoding=US-ASCII", "-Duser.language=th",
                    "-Duser.country=TH", "-Duser.variant=TH"));
            assertThat(seen).hasSize(6).containsOnly(seen.get(0));
            assertThat(seen.get(0))
                    .contains(
                            "name=e, type=ENUM, nativeType=public.mood] string:gut – ok",
                            "[string:so so string:null null]",
                            "[[string:a string:b c] [string: string:nüll\\\"]]",
                            "other:[0:1]={1,2}",
                            "bytes:00ff5c",
                            "TIMESTAMP_ZONED:2024-03-10T07:30:00Z",
                            "tab\there\\n \\N <line feed> é 漢 😀 İi",
                            "name=nothing, type=STRING, nativeType=text] NULL")
                    .doesNotContain("gone", "dead");
        }
    }

    private static List<String> inJvm(SharedPostgres.Database db, Path folder, String... options) throws Exception {
        PostgresServer server = db.server();
        Path seen = Files.createTempFile(folder, "seen", ".txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-Xmx128m"));
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), SameValueIT.class.getName(),
                "127.0.0.1:" + server.port() + "/" + db.name(), "s_" + db.name(), seen.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(folder.resolve("output"))).isZero();
        db.execute("DELETE FROM t WHERE id = 2", "DROP PUBLICATION tidegate_shop");
        db.query("SELECT pg_drop_replication_slot('s_" + db.name() + "')");
        return Files.readAllLines(seen, StandardCharsets.UTF_8);
    }
}
