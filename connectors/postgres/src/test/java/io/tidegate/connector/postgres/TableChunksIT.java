package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.server.TableSelection;
import io.tidegate.connector.postgres.snapshot.TableChunks;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What allows chunks that are done to be kept under a later snapshot. */
class TableChunksIT {

    private static final long CHUNK = 16 << 10;

    private static Published published(SqlSession control, String table) {
        long oid = control.one("SELECT CAST(? AS text)::regclass::oid::bigint", row -> row.getLong(1), table);
        return Publication.unpublished(control, oid);
    }

    private static TableChunks cut(SqlSession control, Published table) {
        List<Relation> relations = Relation.all(control);
        Relation relation = relations.stream()
                .filter(one -> one.oid() == table.oid())
                .findFirst()
                .orElseThrow();
        return TableChunks.of(control, table, TableSelection.leaves(relation, relations), CHUNK);
    }

    private static TableChunks cut(SharedPostgres.Database db, String table) {
        try (Connections connections = new Connections(Sources.config(db).server());
                SqlSession control = connections.control()) {
            return cut(control, published(control, table));
        }
    }

    private static void identityChanges(SharedPostgres.Database db, boolean changes, String... statements)
            throws SQLException {
        try (Connections connections = new Connections(Sources.config(db).server());
                SqlSession control = connections.control()) {
            String before = cut(control, published(control, "public.t")).identity();
            for (String sql : statements) {
                db.execute(sql);
                String after = cut(control, published(control, "public.t")).identity();
                assertThat(!after.equals(before)).as(sql).isEqualTo(changes);
                before = after;
            }
        }
    }

    private static SharedPostgres.Database database(int version) throws SQLException {
        SharedPostgres.Database db = SharedPostgres.version(version).fresh();
        db.execute(
                "CREATE TYPE mood AS ENUM ('sad', 'ok')",
                "CREATE DOMAIN moods AS mood",
                "CREATE TABLE t (id int, k int, v varchar(10), m moods, ms mood[], PRIMARY KEY (id, k))"
                        + " PARTITION BY RANGE (id)",
                "CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (1000)",
                "INSERT INTO t SELECT g, g, 'x', 'sad' FROM generate_series(1, 900) g");
        return db;
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void theIdentityStaysWhileRowsChangeAndAreLookedAfter(int version) throws Exception {
        try (SharedPostgres.Database db = database(version)) {
            identityChanges(
                    db,
                    false,
                    "INSERT INTO t VALUES (901, 1, 'y', 'ok')",
                    "UPDATE t SET v = 'z', id = id + 1 WHERE id > 800",
                    "DELETE FROM t WHERE id < 100",
                    "ANALYZE t",
                    "VACUUM t",
                    "REINDEX TABLE t1",
                    "CREATE INDEX ON t (v)",
                    "ALTER TABLE t ALTER v SET DEFAULT 'w'",
                    "CREATE TABLE other (LIKE t)");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void theIdentityChangesWithAllThatMakesRowsReadBeforeAndAfterDiffer(int version) throws Exception {
        try (SharedPostgres.Database db = database(version)) {
            identityChanges(
                    db,
                    true,
                    "VACUUM FULL t1",
                    "ALTER TABLE t ALTER v TYPE varchar(20)", // rewrites nothing
                    "ALTER TABLE t ALTER v TYPE text", // rewrites nothing
                    "ALTER TABLE t ALTER k TYPE bigint",
                    "ALTER TABLE t ADD COLUMN w int DEFAULT 7",
                    "ALTER TABLE t DROP COLUMN w",
                    "ALTER TABLE t RENAME v TO u",
                    "ALTER TYPE mood RENAME VALUE 'ok' TO 'fine'",
                    "ALTER DOMAIN moods RENAME TO feelings",
                    "CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (1000) TO (2000)",
                    "ALTER TABLE t DETACH PARTITION t2",
                    "ALTER TABLE t ATTACH PARTITION t2 FOR VALUES FROM (1000) TO (2000)",
                    "ALTER TABLE t DROP CONSTRAINT t_pkey",
                    "ALTER TABLE t ADD PRIMARY KEY (k, id)",
                    "TRUNCATE t");
        }
    }

    @Test
    void theIdentityChangesWithTheOrderOfTheKeysColumnsTheNameAndTheRowFilter() throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(17).fresh();
                Connections connections = new Connections(Sources.config(db).server());
                SqlSession control = connections.control()) {
            db.execute("CREATE TABLE t (a int, b int, PRIMARY KEY (a, b))");
            Published table = published(control, "public.t");
            String identity = cut(control, table).identity();
            Published filtered = new Published(table.oid(), table.schema(), table.name(), table.columns(), "(a > 1)");
            assertThat(cut(control, filtered).identity()).isNotEqualTo(identity);
            db.execute("ALTER TABLE t RENAME TO u");
            String renamed = cut(control, published(control, "public.u")).identity();
            assertThat(renamed).isNotEqualTo(identity);
            db.execute("ALTER TABLE u RENAME TO t");
            assertThat(cut(control, table).identity()).isEqualTo(identity);
            db.execute("ALTER TABLE t DROP CONSTRAINT t_pkey", "ALTER TABLE t ADD PRIMARY KEY (b, a)");
            assertThat(cut(control, table).identity()).isNotEqualTo(identity);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void theIdentityChangesWithTheVersionOfTheCollationThatOrdersTheKey(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE COLLATION mine FROM \"und-x-icu\"",
                    "CREATE TABLE t (k text COLLATE mine PRIMARY KEY, v text COLLATE \"C\")");
            identityChanges(
                    db,
                    true,
                    "UPDATE pg_collation SET collversion = 'another' WHERE collname = 'mine'",
                    "ALTER TABLE t ALTER k TYPE text COLLATE \"default\"");
            if (version >= 15) {
                identityChanges(
                        db,
                        true,
                        "UPDATE pg_database SET datcollversion = 'another' WHERE datname = current_database()");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void doneChunksMayBeKeptOnlyWhereTheKeySaysWhichRowsTheyHold(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String rows = " SELECT g, repeat('x', 300) FROM generate_series(1, 600) g";
            String range = " FOR VALUES FROM ";
            db.execute(
                    "CREATE TABLE small (k uuid PRIMARY KEY)",
                    "CREATE TABLE small_keyless (k uuid)",
                    "CREATE TABLE large (k int PRIMARY KEY, v text)",
                    "INSERT INTO large" + rows,
                    "CREATE TABLE unordered (k int PRIMARY KEY, v text)",
                    "INSERT INTO unordered" + rows + " ORDER BY hashint4(g)",
                    "CREATE TABLE mixed (k int PRIMARY KEY, v text) PARTITION BY RANGE (k)",
                    "CREATE TABLE mixed1 PARTITION OF mixed" + range + "(0) TO (301)",
                    "CREATE TABLE mixed2 PARTITION OF mixed" + range + "(301) TO (1000)",
                    "INSERT INTO mixed" + rows + " ORDER BY CASE WHEN g > 300 THEN g ELSE hashint4(g) END",
                    "ANALYZE");
            assertThat(cut(db, "public.small").keyed()).isTrue();
            assertThat(cut(db, "public.small_keyless").keyed()).isFalse();
            assertThat(cut(db, "public.large").keyed()).isTrue();
            assertThat(cut(db, "public.large").chunks()).hasSizeGreaterThan(5);
            assertThat(cut(db, "public.unordered").keyed()).isFalse();
            assertThat(cut(db, "public.mixed").keyed()).isFalse();
            db.execute("VACUUM FULL mixed1", "CLUSTER mixed1 USING mixed1_pkey", "ANALYZE mixed1");
            assertThat(cut(db, "public.mixed").keyed()).isTrue();
        }
    }

    @Test
    void aTableIsCutIntoABoundedNumberOfChunksOfAboutTheSameSize() throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(17).fresh()) {
            db.execute(
                    "CREATE TABLE t (k int PRIMARY KEY, v text)",
                    "ALTER TABLE t ALTER v SET STORAGE PLAIN",
                    "INSERT INTO t SELECT g, repeat('x', 5000) FROM generate_series(1, 9000) g",
                    "ANALYZE t");
            try (Connections connections = new Connections(Sources.config(db).server());
                    SqlSession control = connections.control()) {
                Published table = published(control, "public.t");
                List<Relation> leaves = Relation.all(control);
                assertThat(TableChunks.of(control, table, leaves, 1).chunks())
                        .as("9,000 pages, three to a chunk")
                        .hasSize(3000);
                assertThat(TableChunks.of(control, table, leaves, 100 * 8192).chunks())
                        .hasSize(90);
            }
        }
    }
}
