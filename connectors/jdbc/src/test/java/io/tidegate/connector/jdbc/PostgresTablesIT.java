package io.tidegate.connector.jdbc;

import static io.tidegate.connector.jdbc.Changes.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.RejectedException;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which tables are taken, made, completed or refused, and what a narrower column does. */
class PostgresTablesIT {

    private static final TableSchema T = table("t", 1, "id integer", "v text", "big text");

    private final Changes log = new Changes();

    private static void assertPreflight(Target target, Batch batch, String problem, String advice) {
        assertThatThrownBy(() -> target.write(batch)).isInstanceOfSatisfying(TidegateException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.PREFLIGHT);
            assertThat(e).hasMessageContaining(problem);
            assertThat(e.advice()).contains(advice);
        });
        target.restart();
    }

    @Test
    void saysTheStatementThatMakesAMissingTableOrColumnAndTakesThemThen() throws Exception {
        try (Target target = Target.fresh()) {
            Batch batch = log.batch(log.insert(T, 1, "a", "x"));
            String create = "CREATE TABLE IF NOT EXISTS \"public\".\"t\" (\"id\" integer, \"v\" text, \"big\" text,"
                    + " PRIMARY KEY (\"id\"))";
            assertPreflight(target, batch, "public.t does not exist", create);
            target.database.execute(create, "ALTER TABLE t DROP COLUMN big");
            String alter = "ALTER TABLE \"public\".\"t\" ADD COLUMN \"big\" text";
            assertPreflight(target, batch, "lacks big", alter);
            target.with("schema", "evolve").write(batch);
            assertThat(target.query("SELECT * FROM t")).containsExactly("1|a|x");
        }
    }

    @Test
    void refusesTablesThatCouldNotTakeEachRow() throws Exception {
        try (Target target = Target.fresh(
                "CREATE TABLE t (id int, v text, big text)",
                "CREATE TABLE r (id int PRIMARY KEY, v text, big text, extra int NOT NULL)",
                "CREATE TABLE g (id int PRIMARY KEY, v text, big text GENERATED ALWAYS AS (upper(v)) STORED)",
                "CREATE TABLE c (id int PRIMARY KEY, v date, big text)",
                "CREATE EXTENSION citext",
                "CREATE TABLE i (id citext PRIMARY KEY)")) {
            assertPreflight(
                    target, log.batch(log.insert(T, 1, "a", "x")), "no primary key", "ADD PRIMARY KEY (\"id\")");
            assertPreflight(target, other("r"), "extra", "default");
            assertPreflight(target, other("g"), "computed", "TYPE text");
            assertPreflight(target, other("c"), "is date", "ALTER COLUMN \"v\" TYPE text");
            TableSchema i = table("i", 1, "id text");
            assertPreflight(target, log.batch(log.insert(i, "a")), "different texts for equal", "TYPE text");
        }
    }

    private Batch other(String name) {
        return log.batch(log.insert(table(name, 1, "id integer", "v text", "big text"), 1, "a", "x"));
    }

    @Test
    void twoTablesOfTheSourceNeverShareOneAtTheTarget() throws Exception {
        TableSchema other = new TableSchema("audit", "t", T.columns(), T.key(), 1);
        try (Target target = Target.fresh().with("create_tables", "true").with("names.schema", "public")) {
            target.write(log.batch(log.insert(T, 1, "a", "x")));
            assertThatThrownBy(() -> target.write(log.batch(log.insert(other, 1, "b", "x"))))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_INVALID))
                    .hasMessageContaining("audit.t");
            target.restart();
            target.with("names.table", "{schema}_{table}")
                    .write(log.batch(log.insert(T, 2, "a", "x")), log.batch(log.insert(other, 1, "b", "x")));
            assertThat(target.query("SELECT id FROM public_t")).containsExactly("2");
            assertThat(target.query("SELECT id FROM audit_t")).containsExactly("1");
        }
    }

    @Test
    void namesThatNeedQuotesAndIdentityColumnsAreWritten() throws Exception {
        TableSchema q = table("Or\"der's", 1, "I\"d integer", "select text");
        try (Target target = Target.fresh(
                "CREATE TABLE \"Or\"\"der's\" (\"I\"\"d\" int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \"select\" text)")) {
            target.write(log.batch(log.insert(q, 7, "a"), log.insert(q, 8, "b"), log.delete(q, 7)));
            assertThat(target.query("SELECT * FROM \"Or\"\"der's\"")).containsExactly("8|b");
        }
    }

    /** Kind decimal-overflow-becomes-null, for each type that PostgreSQL would round, cut or drop a part of. */
    @Test
    void whatANarrowerColumnCannotHoldIsRefusedAndNeverChanged() throws Exception {
        TableSchema w = table(
                "w",
                1,
                "id integer",
                "n numeric",
                "v text",
                "ts timestamp without time zone",
                "f double precision",
                "i numeric",
                "ti time with time zone");
        try (Target target = Target.fresh(
                "CREATE TABLE w (id int PRIMARY KEY, n numeric(10,2), v varchar(3), ts timestamp(0), f real, i smallint,"
                        + " ti time)")) {
            refused(target, "more than 2 digits", log.insert(w, 1, "1.005", null, null, null, null, null));
            refused(
                    target,
                    "number is out of range",
                    log.insert(w, 1, "12345678901234567890.5", null, null, null, null, null));
            refused(target, "longer", log.insert(w, 1, null, "ab  ", null, null, null, null));
            refused(target, "zero byte", log.insert(w, 1, null, "a\0", null, null, null, null));
            refused(target, "digits", log.insert(w, 1, null, null, "2024-01-01T00:00:00.5", null, null, null));
            refused(target, "more digits", log.insert(w, 1, null, null, null, "0.1234567891", null, null));
            refused(target, "after the point", log.insert(w, 1, null, null, null, null, "1.5", null));
            refused(target, "out of range", log.insert(w, 1, null, null, null, null, "32768", null));
            refused(target, "a zone", log.insert(w, 1, null, null, null, null, null, "10:00:00+02:00"));
            target.write(
                    log.batch(log.insert(w, 1, "1.500", "a😀c", "2024-01-01T00:00:00.000", "0.1", "32767.0", null)));
            assertThat(target.query("SELECT * FROM w")).containsExactly("1|1.50|a😀c|2024-01-01 00:00:00|0.1|32767|");
        }
    }

    /** Kind kafka-record-too-large: what comes before it is written, it is refused, and the session goes on behind it. */
    @Test
    void aKeyThatIsTooLargeForTheTargetsIndexIsRefusedAndHoldsUpNothingElse() throws Exception {
        TableSchema k = table("k", 1, "id text", "v text");
        StringBuilder large = new StringBuilder();
        new SplittableRandom(1).ints(10_000, 'a', 'z').forEach(c -> large.append((char) c));
        try (Target target = Target.fresh("CREATE TABLE k (id text PRIMARY KEY, v text)")) {
            Batch before = log.batch(log.insert(k, "1", "a"));
            Batch batch = log.batch(log.insert(k, large.toString(), "b"));
            Batch behind = log.batch(log.insert(k, "3", "c"));
            assertThatThrownBy(() -> target.write(before, batch, behind))
                    .isInstanceOfSatisfying(
                            RejectedException.class, e -> assertThat(e.batch()).isEqualTo(batch))
                    .hasMessageContainingAll("public.k", "a row or index entry is too large for the target")
                    .hasMessageNotContaining(large.substring(0, 20));
            target.write();
            assertThat(target.context.durable).containsExactly(before);
            target.write(behind);
            assertThat(target.query("SELECT * FROM k ORDER BY id")).containsExactly("1|a", "3|c");
        }
    }

    private void refused(Target target, String reason, Change change) {
        Batch batch = log.batch(change);
        assertThatThrownBy(() -> target.write(batch))
                .as(reason)
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining(reason);
    }

    /** Case jdbc-sink-infinity-not-first-row: in any order inside a batch. */
    @Test
    void infinitiesLandWhateverTheirPlaceInABatchIs() throws Exception {
        TableSchema z = table("z", 1, "id integer", "tz timestamp with time zone");
        List<String> values = java.util.Arrays.asList("2024-01-01T00:00:00Z", "-infinity", null, "infinity");
        for (int turn = 0; turn < values.size(); turn++) {
            try (Target target = Target.fresh().with("create_tables", "true")) {
                Changes own = new Changes();
                List<Change> changes = new java.util.ArrayList<>();
                for (int i = 0; i < values.size(); i++) {
                    int place = (i + turn) % values.size();
                    changes.add(own.insert(z, place, values.get(place)));
                }
                target.write(own.batch(changes));
                assertThat(target.query("SELECT * FROM z ORDER BY id"))
                        .containsExactly("0|2024-01-01 00:00:00+00", "1|-infinity", "2|", "3|infinity");
            }
        }
    }

    @Test
    void appendsEachLogChangeOnceAndSnapshotReadsOnceInAnAttempt() throws Exception {
        TableSchema k = table("k", 0, "v text");
        try (Target target = Target.fresh().with("create_tables", "true").with("mode", "append")) {
            target.write(log.snapshotBatch(Changes.read(T, 1, 1, "a", "x"), Changes.read(k, 1, "keyless")));
            target.restart();
            target.write(log.snapshotBatch(Changes.marker(T, 2), Changes.read(T, 2, 1, "a", "x")));
            Batch first = log.batch(
                    log.insert(T, 2, "b", null), log.rekey(T, new Object[] {2}, 3, "b", Changes.Mark.UNCHANGED));
            target.write(first);
            target.restart();
            log.catchUp(true);
            target.write(first, log.batch(log.delete(T, 3), log.truncate(T)));
            assertThat(target.query("SELECT op, position, snapshot, attempt, catch_up FROM t ORDER BY seq"))
                    .containsExactly(
                            "r|H1|H1|1|f",
                            "t|H2|H2|2|f",
                            "r|H2|H2|2|f",
                            "c|log 1|||f",
                            "u|log 2|||f",
                            "d|log 3|||t",
                            "t|log 4|||t");
            assertThat(target.query("SELECT change->'before'->>'id', change->'after'->>'id', change->'unchanged' FROM t"
                            + " WHERE op = 'u'"))
                    .containsExactly("2|3|[\"big\"]");
            assertThat(target.query("SELECT change->'after'->>'v' FROM k")).containsExactly("keyless");
        }
    }

    @Test
    void checkNamesWhatCanStandInTheWay() throws Exception {
        try (Target target = Target.fresh(
                "CREATE TABLE p (id int PRIMARY KEY)",
                "CREATE TABLE t (id int PRIMARY KEY, mail text UNIQUE, p int REFERENCES p ON DELETE CASCADE,"
                        + " must int NOT NULL, up text GENERATED ALWAYS AS (upper(mail)) STORED)",
                "CREATE UNIQUE INDEX lower_mail ON t (lower(mail))",
                "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
                "CREATE TRIGGER stamp BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()",
                "CREATE ROLE poor_" + ProcessHandle.current().pid() + " LOGIN")) {
            List<Finding> findings = target.sink().check();
            assertThat(findings).noneMatch(f -> f.severity() == Finding.Severity.ERROR);
            assertThat(findings.stream()
                            .map(f -> f.object() + " " + f.problem())
                            .toList())
                    .anyMatch(text -> text.contains("public.t") && text.contains("t_mail_key"))
                    .anyMatch(text -> text.contains("lower_mail"))
                    .anyMatch(text -> text.contains("foreign keys name [public.p]"))
                    .anyMatch(text -> text.contains("public.p") && text.contains("changes rows of other tables"))
                    .anyMatch(text -> text.contains("stamp"))
                    .anyMatch(text -> text.contains("[must]"))
                    .anyMatch(text -> text.contains("up is computed"));
            String role = "poor_" + ProcessHandle.current().pid();
            List<Finding> poor = target.with("user", role)
                    .with("names.schema", "nowhere")
                    .sink()
                    .check();
            assertThat(poor)
                    .anyMatch(f -> f.code() == ErrorCode.PERMISSION && f.cure().contains("GRANT CREATE"));
            assertThat(poor)
                    .anyMatch(f -> f.object().contains("nowhere") && f.cure().contains("CREATE SCHEMA"));
            assertThatThrownBy(() -> target.sink().open(target.context))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION));
            target.database.execute("DROP ROLE " + role);
        }
    }

    @Test
    void aLockOfSomebodyElseIsAFailureThatIsTriedAgain() throws Exception {
        try (Target target = Target.fresh("CREATE TABLE t (id int PRIMARY KEY, v text, big text)")
                        .with("lock_timeout", "1s");
                java.sql.Connection blocker = target.database.connect();
                java.sql.Statement statement = blocker.createStatement()) {
            target.session();
            blocker.setAutoCommit(false);
            statement.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
            Batch batch = log.batch(log.insert(T, 1, "a", "x"));
            assertThatThrownBy(() -> target.write(batch))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SINK_FAILED));
            blocker.rollback();
            target.restart();
            target.write(batch);
            assertThat(target.query("SELECT id FROM t")).containsExactly("1");
        }
    }
}
