package io.tidegate.connector.jdbc;

import static io.tidegate.connector.jdbc.Changes.Mark.UNCHANGED;
import static io.tidegate.connector.jdbc.Changes.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.RejectedException;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What mode upsert leaves in a real PostgreSQL. */
class PostgresUpsertIT {

    private static final TableSchema T = table("t", 1, "id integer", "v text", "big text");
    private static final String MADE = "CREATE TABLE t (id int PRIMARY KEY, v text, big text)";

    private final Changes log = new Changes();

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void leavesTheRowsOfTheSourceAndTheOrdinalOfTheLastChange(int version) throws Exception {
        try (Target target = Target.fresh(version).with("create_tables", "true")) {
            Batch first = log.batch(log.insert(T, 1, "a", "x"), log.insert(T, 2, null, "it's \"{,}\\ quoted"));
            Batch second = log.batch(log.update(T, 1, "b", UNCHANGED), log.delete(T, 2), log.insert(T, 3, "NULL", ""));
            target.write(first, second);
            assertThat(target.query("SELECT id, v, big FROM t ORDER BY id")).containsExactly("1|b|x", "3|NULL|");
            assertThat(target.query("SELECT count(*) FROM t WHERE v IS NULL OR big IS NULL"))
                    .containsExactly("0");
            assertThat(target.context.durable).containsExactly(first, second);
            assertThat(target.query("SELECT pipeline, lineage, epoch, ordinal FROM tidegate_position ORDER BY lineage"))
                    .containsExactly("shop||1|", "shop|" + Changes.LINEAGE + "|0|\\x7f0000000000005000");
        }
    }

    @Test
    void writesAChangeThatComesAgainNotAgain() throws Exception {
        try (Target target = Target.fresh(MADE)) {
            target.write(log.batch(
                    log.insert(T, 1, "a", "x"),
                    log.update(T, 1, "b", "x"),
                    log.delete(T, 1),
                    log.insert(T, 2, "kept", "x")));
            target.database.execute("CREATE TABLE seen (n serial)");
            target.database.execute("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN INSERT INTO public.seen DEFAULT VALUES; RETURN NULL; END'");
            target.database.execute(
                    "CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION note()");
            target.restart();
            log.rewind(1);
            Batch again = log.batch(
                    log.update(T, 1, "b", "x"),
                    log.delete(T, 1),
                    log.insert(T, 2, "kept", "x"),
                    log.insert(T, 9, "new", "x"));
            target.write(again);
            assertThat(target.query("SELECT id FROM t ORDER BY id")).containsExactly("2", "9");
            assertThat(target.query("SELECT count(*) FROM seen")).containsExactly("1");
            assertThat(target.context.durable).contains(again);
        }
    }

    /** Cases jdbc-sink-update-delete-reordered: both scripts, each in one batch. */
    @Test
    void keepsTheOrderOfTheChangesOfOneKeyInsideABatch() throws Exception {
        try (Target target = Target.fresh(MADE)) {
            target.write(log.batch(log.insert(T, 1, "a", "x"), log.delete(T, 1), log.insert(T, 1, "b", "x")));
            assertThat(target.query("SELECT id, v FROM t")).containsExactly("1|b");
            target.write(log.batch(
                    log.update(T, 1, "c", "x"),
                    log.delete(T, 1),
                    log.insert(T, 1, "d", "x"),
                    log.rekey(T, new Object[] {1}, 2, "d", "x"),
                    log.insert(T, 1, "e", "x")));
            assertThat(target.query("SELECT id, v FROM t ORDER BY id")).containsExactly("1|e", "2|d");
        }
    }

    /** Triggers note the way that each statement's rows come. */
    private static void watch(Target target, String... tables) throws Exception {
        target.database.execute(
                "CREATE TABLE seen (way text)",
                "CREATE FUNCTION note_way() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
                        + " INSERT INTO public.seen VALUES (CASE"
                        + " WHEN current_query() LIKE ''COPY %'' THEN ''copied''"
                        + " WHEN current_query() LIKE ''%tidegate_stage%'' THEN ''staged''"
                        + " ELSE ''other'' END); RETURN NULL; END'");
        for (String table : tables) {
            target.database.execute(
                    "CREATE TRIGGER note_way AFTER INSERT ON " + table + " EXECUTE FUNCTION note_way()");
        }
    }

    private static void assertWays(Target target, String... ways) throws Exception {
        assertThat(target.query("SELECT way FROM seen")).containsExactly(ways);
    }

    /** Inserts are tried as such, by COPY: one that finds its row takes the others with it, and all are written another way. */
    @Test
    void insertsOfRowsThatAreThereUpdateThem() throws Exception {
        try (Target target = Target.fresh(MADE, "INSERT INTO t VALUES (2, 'old', 'old')")) {
            for (int round = 1; round <= 4; round++) { // after a collision it is not tried for a while
                target.write(log.batch(
                        log.insert(T, round * 10, "a" + round, null),
                        log.insert(T, 2, "b" + round, "\\N"),
                        log.insert(T, round * 10 + 1, "tab\tline\nreturn\rbackslash\\ end", "\\.")));
            }
            assertThat(target.query("SELECT id, v FROM t WHERE big IS NULL ORDER BY id"))
                    .containsExactly("10|a1", "20|a2", "30|a3", "40|a4");
            assertThat(target.query("SELECT v FROM t WHERE big = '\\N'")).containsExactly("b4");
            assertThat(target.query("SELECT count(*) FROM t WHERE big = '\\.'"
                            + " AND v = E'tab\\tline\\nreturn\\rbackslash\\\\ end'"))
                    .containsExactly("4");
        }
    }

    /** COPY would pass the rule by. */
    @Test
    void anInsertIntoATableWithARuleIsRewrittenByIt() throws Exception {
        try (Target target = Target.fresh().with("mode", "append").with("create_tables", "true")) {
            target.write(log.batch(log.insert(T, 1, "a", null)));
            target.restart();
            target.database.execute(
                    "CREATE TABLE seen (op text)",
                    "CREATE RULE see AS ON INSERT TO t DO ALSO INSERT INTO seen VALUES (new.op)");
            target.write(log.batch(log.insert(T, 2, "b", null), log.insert(T, 3, "c", null)));
            assertThat(target.query("SELECT count(*) FROM t")).containsExactly("3");
            assertThat(target.query("SELECT op FROM seen")).containsExactly("c", "c");
        }
    }

    @Test
    void insertsOfNewRowsOfOtherFormsArriveAsTheyAre() throws Exception {
        String[] values = {
            "\\N",
            "",
            " ",
            "\\",
            "\\.",
            "\t",
            "\n",
            "\r",
            "\r\n",
            "\b\f\u000b",
            "é€😀",
            "{,}\"'",
            "NULL",
            "\u007f\u0001"
        };
        try (Target target = Target.fresh(MADE)) {
            watch(target, "t");
            List<Change> inserts = new ArrayList<>();
            for (int i = 0; i < values.length; i++) {
                inserts.add(log.insert(T, i, values[i], values[values.length - 1 - i]));
            }
            target.write(log.batch(inserts));
            assertWays(target, "copied");
            assertThat(target.query("SELECT encode(convert_to(v, 'UTF8'), 'hex') FROM t ORDER BY id"))
                    .containsExactlyElementsOf(hex(List.of(values)));
            assertThat(target.query("SELECT encode(convert_to(big, 'UTF8'), 'hex') FROM t ORDER BY id DESC"))
                    .containsExactlyElementsOf(hex(List.of(values)));
        }
    }

    private static List<String> hex(List<String> texts) {
        return texts.stream()
                .map(text -> HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    @Test
    void swapsKeysByWayOfAThird() throws Exception {
        try (Target target = Target.fresh(MADE)) {
            target.write(log.batch(
                    log.insert(T, 1, "a", "A"),
                    log.insert(T, 2, "b", "B"),
                    log.rekey(T, new Object[] {1}, 3, "a", UNCHANGED),
                    log.rekey(T, new Object[] {2}, 1, "b", UNCHANGED),
                    log.rekey(T, new Object[] {3}, 2, "a", UNCHANGED)));
            assertThat(target.query("SELECT id, v, big FROM t ORDER BY id")).containsExactly("1|b|B", "2|a|A");
        }
    }

    @Test
    void aChangedKeyThatIsThereAlreadyIsUpdatedAndTheOldOneDeleted() throws Exception {
        try (Target target = Target.fresh(MADE, "INSERT INTO t VALUES (1, 'old', 'kept1'), (2, 'new', 'kept2')")) {
            target.write(log.batch(log.rekey(T, new Object[] {1}, 2, "moved", UNCHANGED)));
            assertThat(target.query("SELECT * FROM t")).containsExactly("2|moved|kept2");
        }
    }

    /** Two spellings of one number are one key: the row must not delete itself. */
    @Test
    void aKeyThatChangesToAnotherSpellingOfItselfStays() throws Exception {
        TableSchema n = table("n", 1, "id numeric", "v text");
        try (Target target = Target.fresh("CREATE TABLE n (id numeric PRIMARY KEY, v text)")) {
            target.write(log.batch(
                    log.insert(n, "1.0", "a"),
                    log.rekey(n, new Object[] {"1.0"}, "1.00", "b"),
                    log.insert(n, "2", "c"),
                    log.delete(n, "2.0")));
            assertThat(target.query("SELECT * FROM n")).containsExactly("1.00|b");
        }
    }

    @Test
    void aPartialUpdateOfAMissingRowIsAnErrorAndNeverAnInsert() throws Exception {
        try (Target target = Target.fresh(MADE)) {
            target.write(log.batch(log.insert(T, 1, "a", "x")));
            Change kept = log.update(T, 1, "not kept", "x");
            assertRowMissing(target, kept, log.update(T, 2, "v", UNCHANGED));
            kept = log.update(T, 1, "not kept", "x");
            assertRowMissing(target, kept, log.rekey(T, new Object[] {2}, 3, "v", "full"));
            target.write(log.batch(log.update(T, 4, "full", "row")), log.batch(log.delete(T, 99)));
            assertThat(target.query("SELECT id FROM t ORDER BY id")).containsExactly("1", "4");
        }
    }

    private void assertRowMissing(Target target, Change... changes) {
        Batch batch = log.batch(changes);
        assertThatThrownBy(() -> target.write(batch))
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ROW_MISSING))
                .hasMessageContaining("public.t")
                .hasMessageNotContaining("full");
        target.restart();
        assertThat(target.context.durable).doesNotContain(batch);
    }

    @Test
    void inCatchUpAnUpdateOfAMissingRowHasNothingToDoAndIsCountedOnce() throws Exception {
        try (Target target = Target.fresh(MADE)) {
            log.catchUp(true);
            Batch batch = log.batch(
                    log.insert(T, 1, "a", "x"),
                    log.update(T, 2, "v", UNCHANGED),
                    log.update(T, 1, "b", UNCHANGED),
                    log.rekey(T, new Object[] {5}, 6, "v", UNCHANGED));
            target.write(batch);
            assertThat(target.query("SELECT * FROM t")).containsExactly("1|b|x");
            assertThat(target.context.nothingToDo)
                    .containsExactly(batch.changes().get(1), batch.changes().get(3));
        }
    }

    @Test
    void inCatchUpAnUpdateThatMovesARowAndSaysAllOfItPutsTheRowThatIsMissing() throws Exception {
        try (Target target = Target.fresh(MADE)) {
            log.catchUp(true);
            target.write(log.batch(log.rekey(T, new Object[] {5}, 6, "v", "x")));
            assertThat(target.query("SELECT * FROM t")).containsExactly("6|v|x");
            assertThat(target.context.nothingToDo).isEmpty();
        }
    }

    @Test
    void rowsThatTakeAUniqueValueFromEachOtherLandInTheOrderOfTheSource() throws Exception {
        TableSchema u = table("u", 1, "id integer", "name text");
        try (Target target = Target.fresh("CREATE TABLE u (id int PRIMARY KEY, name text UNIQUE)")) {
            target.write(log.batch(
                    log.insert(u, 1, "a"), log.insert(u, 2, "b"), log.update(u, 1, "c"), log.update(u, 2, "a")));
            target.write(
                    log.batch(log.update(u, 1, "d"), log.insert(u, 3, "c"), log.delete(u, 2), log.insert(u, 4, "a")));
            assertThat(target.query("SELECT * FROM u ORDER BY id")).containsExactly("1|d", "3|c", "4|a");
        }
    }

    /** Just enough to go by a temporary table, and so few that two tables' are one group. */
    private static final int MANY = 5_000;

    private List<Change> many(TableSchema table, String prefix) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            changes.add(log.update(table, i, i % 3 == 0 ? null : prefix + "\t\\N\n'{" + i, "\\."));
        }
        return changes;
    }

    private static void assertMany(Target target, String prefix) throws Exception {
        assertThat(target.query("SELECT count(*) FROM t WHERE big = '\\.' AND v IS NOT DISTINCT FROM"
                        + " CASE WHEN id % 3 = 0 THEN NULL ELSE '" + prefix + "' || E'\\t\\\\N\\n''{' || id END"))
                .containsExactly(Integer.toString(MANY));
    }

    /** They go by a temporary table, of which nothing stays. */
    @Test
    void manyUpdatesAtOnceArriveAsTheyAre() throws Exception {
        try (Target target = Target.fresh(
                MADE.replace("v text", "v varchar(60)"),
                "INSERT INTO t SELECT n * 2, 'old', 'old' FROM generate_series(0, 2499) n")) {
            watch(target, "t");
            target.write(log.batch(many(T, "a")));
            assertMany(target, "a");
            target.write(log.batch(many(T, "b")));
            assertMany(target, "b");
            assertThat(target.query("SELECT count(*) FROM t")).containsExactly(Integer.toString(MANY));
            assertWays(target, "staged", "staged");
            assertThat(target.query("SELECT count(*) FROM pg_class WHERE relname = 'tidegate_stage'"))
                    .containsExactly("0");
        }
    }

    @Test
    void manyUpdatesAtOnceOfColumnsWithTypesOfTheirOwn() throws Exception {
        TableSchema own = table("t", 1, "id integer", "v mood", "big integer[]");
        try (Target target = Target.fresh(
                "CREATE TYPE mood AS ENUM ('sad', 'it''s, {ok}')",
                "CREATE TABLE t (id int PRIMARY KEY, v mood, big integer[])")) {
            watch(target, "t");
            List<Change> changes = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                changes.add(
                        log.update(own, i, i % 2 == 0 ? "sad" : "it's, {ok}", i % 3 == 0 ? null : "{" + i + ",NULL}"));
            }
            target.write(log.batch(changes));
            assertThat(target.query(
                            "SELECT count(*) FROM t WHERE v = CASE WHEN id % 2 = 0 THEN 'sad' ELSE 'it''s, {ok}' END::mood"
                                    + " AND big IS NOT DISTINCT FROM CASE WHEN id % 3 <> 0 THEN ARRAY[id, NULL] END"))
                    .containsExactly(Integer.toString(MANY));
            assertWays(target, "staged");
        }
    }

    @Test
    void manyUpdatesAtOnceOfSeveralTables() throws Exception {
        TableSchema narrow = table("narrow", 1, "id integer", "n numeric");
        try (Target target = Target.fresh(MADE, "CREATE TABLE narrow (id int PRIMARY KEY, n numeric)")) {
            watch(target, "t", "narrow");
            List<Change> changes = many(T, "a");
            for (int i = 0; i < MANY; i++) {
                changes.add(log.update(narrow, i, i + ".5"));
            }
            target.write(log.batch(changes));
            assertMany(target, "a");
            assertThat(target.query("SELECT count(*) FROM narrow WHERE n = id + 0.5"))
                    .containsExactly(Integer.toString(MANY));
            assertWays(target, "staged", "staged");
        }
    }

    /** What was staged is taken back, and the temporary table with it; then all goes one by one. */
    @Test
    void oneOfManyUpdatesThatIsRefusedIsNamed() throws Exception {
        try (Target target = Target.fresh(MADE, "ALTER TABLE t ADD CONSTRAINT short CHECK (length(v) < 100)")) {
            List<Change> changes = new ArrayList<>(many(T, "a").subList(0, 1_234));
            log.rewind(1_234);
            changes.add(log.update(T, 1_234, "x".repeat(100), "y"));
            changes.addAll(many(T, "a").subList(1_235, MANY));
            Batch bad = log.batch(changes);
            assertThatThrownBy(() -> target.write(bad))
                    .isInstanceOfSatisfying(
                            RejectedException.class, e -> assertThat(e.index()).isEqualTo(1_234))
                    .hasMessageContaining("short");
            watch(target, "t");
            target.write(log.batch(many(T, "b")));
            assertMany(target, "b");
            assertWays(target, "staged");
        }
    }

    /** Where an event trigger refuses to make it, or to drop it, and without the right to make it. */
    @Test
    void manyUpdatesAtOnceNeedNoTemporaryTable() throws Exception {
        String role = "plain_" + ProcessHandle.current().pid();
        try (Target target = Target.fresh(MADE, "CREATE ROLE " + role + " LOGIN")) {
            watch(target, "t");
            target.database.execute(
                    "CREATE FUNCTION no() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN"
                            + " IF tg_tag = ''CREATE TABLE'' AND current_query() LIKE ''%TEMPORARY%'' THEN"
                            + " RAISE insufficient_privilege; END IF; END'",
                    "CREATE EVENT TRIGGER no ON ddl_command_start EXECUTE FUNCTION no()");
            target.write(log.batch(many(T, "a")));
            assertMany(target, "a");
            target.write(log.batch(many(T, "b")));
            assertMany(target, "b");
            target.restart();
            target.database.execute(
                    "DROP EVENT TRIGGER no",
                    "CREATE OR REPLACE FUNCTION no() RETURNS event_trigger LANGUAGE plpgsql AS"
                            + " 'BEGIN RAISE insufficient_privilege; END'",
                    "CREATE EVENT TRIGGER no ON ddl_command_start WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION no()");
            target.write(log.batch(many(T, "c")));
            assertMany(target, "c");
            target.restart();
            target.database.execute(
                    "DROP EVENT TRIGGER no",
                    "REVOKE TEMPORARY ON DATABASE \"" + target.database.name() + "\" FROM PUBLIC",
                    "GRANT ALL ON SCHEMA public TO " + role,
                    "GRANT ALL ON t, seen, tidegate_position TO " + role);
            target.with("user", role).write(log.batch(many(T, "d")));
            assertMany(target, "d");
            assertWays(target, "other", "other", "other", "other");
            target.restart();
            target.database.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    @Test
    void namesTheRefusedChangeAndKeepsWhatWasAcceptedBefore() throws Exception {
        TableSchema u = table("u", 1, "id integer", "name text");
        try (Target target = Target.fresh(
                "CREATE TABLE u (id int PRIMARY KEY, name text CONSTRAINT no_secret CHECK (name <> 'hidden'))")) {
            Batch good = log.batch(log.insert(u, 1, "a"), log.insert(u, 2, "b"));
            Batch bad = log.batch(log.insert(u, 3, "c"), log.insert(u, 4, "hidden"), log.insert(u, 5, "e"));
            Batch after = log.batch(log.insert(u, 6, "f"));
            assertThatThrownBy(() -> target.write(good, bad, after))
                    .isInstanceOfSatisfying(RejectedException.class, e -> {
                        assertThat(e.batch()).isEqualTo(bad);
                        assertThat(e.index()).isEqualTo(1);
                    })
                    .hasMessageContaining("public.u")
                    .hasMessageContaining("no_secret")
                    .hasMessageNotContaining("hidden");
            assertThat(target.context.durable).isEmpty();
            target.session().flush();
            assertThat(target.context.durable).containsExactly(good);
            assertThat(target.query("SELECT id FROM u ORDER BY id")).containsExactly("1", "2");
            target.database.execute("ALTER TABLE u DROP CONSTRAINT no_secret");
            target.write(bad, after);
            assertThat(target.query("SELECT count(*) FROM u")).containsExactly("6");
        }
    }

    @Test
    void aDeferredConstraintRefusesAtTheCommitAndNothingIsDurable() throws Exception {
        TableSchema c = table("c", 1, "id integer", "p integer");
        try (Target target = Target.fresh(
                "CREATE TABLE p (id int PRIMARY KEY)",
                "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p DEFERRABLE INITIALLY DEFERRED)")) {
            Batch bad = log.batch(log.insert(c, 1, 77));
            assertThatThrownBy(() -> target.write(bad))
                    .isInstanceOf(RejectedException.class)
                    .hasMessageContaining("c_p_fkey");
            target.database.execute("INSERT INTO p VALUES (77)");
            target.write(bad);
            assertThat(target.query("SELECT * FROM c")).containsExactly("1|77");
        }
    }

    /** The server truncates nothing that a deferred constraint still has to look at. */
    @Test
    void aTruncateBehindRowsThatADeferredConstraintWaitsForEmptiesTheTables() throws Exception {
        TableSchema p = table("p", 1, "id integer");
        TableSchema c = table("c", 1, "id integer", "p integer");
        try (Target target = Target.fresh(
                "CREATE TABLE p (id int PRIMARY KEY)",
                "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p DEFERRABLE INITIALLY DEFERRED)",
                "INSERT INTO p VALUES (9)",
                "INSERT INTO c VALUES (8, 9)")) {
            target.write(log.batch(
                    log.insert(p, 1), log.insert(c, 1, 1), log.insert(c, 2, 1), log.truncate(c), log.insert(c, 3, 1)));
            assertThat(target.query("SELECT * FROM c")).containsExactly("3|1");
            target.write(log.batch(
                    log.insert(c, 4, 9), log.truncate(p), log.truncate(c), log.insert(p, 2), log.insert(c, 5, 2)));
            assertThat(target.query("SELECT * FROM c")).containsExactly("5|2");
            assertThat(target.query("SELECT * FROM p")).containsExactly("2");
        }
    }

    @Test
    void foreignKeysAtTheTargetAreMetWhateverTheOrderOfTheTables() throws Exception {
        TableSchema p = table("p", 1, "id integer");
        TableSchema c = table("c", 1, "id integer", "p integer");
        try (Target target = Target.fresh(
                "CREATE TABLE p (id int PRIMARY KEY)", "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p)")) {
            List<Change> changes = new ArrayList<>();
            for (int i = 1; i <= 50; i++) {
                changes.add(log.insert(p, i));
                changes.add(log.insert(c, i, i));
            }
            changes.add(log.update(c, 1, 2));
            changes.add(log.delete(p, 1));
            changes.add(log.delete(c, 3));
            changes.add(log.delete(p, 3));
            target.write(log.batch(changes));
            assertThat(target.query("SELECT count(*) FROM p")).containsExactly("48");
            assertThat(target.query("SELECT p FROM c WHERE id = 1")).containsExactly("2");
        }
    }

    /** Written in another order, the cascade would delete the child that had moved away, and what hangs on it. */
    @Test
    void aCascadeAtTheTargetTakesNoRowThatHadMovedAway() throws Exception {
        TableSchema p = table("p", 1, "id integer");
        TableSchema c = table("c", 1, "id integer", "p integer");
        try (Target target = Target.fresh(
                "CREATE TABLE p (id int PRIMARY KEY)",
                "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE)",
                "CREATE TABLE g (c int REFERENCES c ON DELETE CASCADE)")) {
            target.write(log.batch(log.insert(p, 1), log.insert(p, 2), log.insert(c, 1, 1)));
            target.database.execute("INSERT INTO g VALUES (1)");
            target.write(log.batch(log.update(c, 1, 2), log.delete(p, 1), log.insert(p, 3)));
            assertThat(target.query("SELECT * FROM c")).containsExactly("1|2");
            assertThat(target.query("SELECT * FROM g")).containsExactly("1");
        }
    }

    @Test
    void truncatesByPolicyAndThoseOfOneStatementTogether() throws Exception {
        TableSchema p = table("p", 1, "id integer");
        TableSchema c = table("c", 1, "id integer", "p integer");
        String[] made = {
            "CREATE TABLE p (id int PRIMARY KEY)", "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p)"
        };
        for (String policy : List.of("apply", "ignore", "reject")) {
            try (Target target = Target.fresh(made).with("truncate", policy)) {
                Changes own = new Changes();
                target.write(own.batch(own.insert(p, 1), own.insert(c, 1, 1)));
                Batch truncates = own.batch(own.truncate(p), own.truncate(c), own.insert(p, 2));
                if (policy.equals("reject")) {
                    assertThatThrownBy(() -> target.write(truncates)).isInstanceOf(RejectedException.class);
                } else {
                    target.write(truncates);
                    assertThat(target.query("SELECT id FROM p ORDER BY id"))
                            .containsExactlyElementsOf(policy.equals("apply") ? List.of("2") : List.of("1", "2"));
                }
            }
        }
    }

    /** A new attempt at a snapshot voids the old one; its marker is no change of the source's that could be refused. */
    @Test
    void aSnapshotThatBeginsAgainEmptiesTheTableAndItsReadsAreNeverSkipped() throws Exception {
        try (Target target = Target.fresh(MADE).with("truncate", "reject")) {
            target.write(log.snapshotBatch(Changes.read(T, 1, 1, "a", "x"), Changes.read(T, 1, 2, "b", "x")));
            target.restart();
            target.write(log.snapshotBatch(Changes.marker(T, 2)), log.snapshotBatch(Changes.read(T, 2, 1, "a2", "x")));
            assertThat(target.query("SELECT id, v FROM t")).containsExactly("1|a2");
        }
    }

    @Test
    void refusesATableWithoutKeyInWords() throws Exception {
        TableSchema k = table("k", 0, "v text");
        try (Target target = Target.fresh().with("create_tables", "true")) {
            assertThatThrownBy(() -> target.write(log.batch(log.insert(k, "x"))))
                    .isInstanceOf(RejectedException.class)
                    .hasMessageContaining("public.k has no key");
        }
    }
}
