package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A pipeline into the database of the same name of another server. */
final class TableTrial extends Trial {

    enum Mode {
        /** The source's tables. */
        UPSERT,
        /** All changes in one table, {@value #CHANGES}. */
        APPEND
    }

    private static final String CHANGES = "changes";
    private static final String TABLES =
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
                    + " AND relname <> 'tidegate_position' ORDER BY 1";

    private final PostgresServer target;
    private int targetPort;
    private final Mode mode;
    private Connection watching;

    /**
     * Makes the databases.
     *
     * @param name of the pipeline and of its databases
     */
    TableTrial(PostgresServer server, PostgresServer target, Path parent, String name, Mode mode)
            throws SQLException, IOException {
        super(server, parent, name);
        this.target = target;
        this.targetPort = target.port();
        this.mode = mode;
        target.execute("CREATE DATABASE " + name);
        watching = target.connect(name);
        configure("50ms");
    }

    @Override
    String sink() {
        return """
                  jdbc:
                    url: postgresql://postgres@127.0.0.1:%d/%s
                    create_tables: true
                    mode: %s
                """.formatted(targetPort, name(), mode.name().toLowerCase(Locale.ROOT))
                + (mode == Mode.APPEND ? "    names: {table: " + CHANGES + "}\n" : "");
    }

    /** Of the files that are written from now on: where the target is reached. */
    void targetBehind(int newPort) {
        targetPort = newPort;
    }

    Mode mode() {
        return mode;
    }

    /** As {@link PostgresServer#queryIn}, by one connection that is kept: it is asked often. */
    List<String> atTarget(String sql) throws SQLException {
        return PostgresServer.rows(watching, sql);
    }

    /** The target was down: asks it by another connection from now on. */
    void targetIsBack() throws SQLException {
        watching.close();
        watching = target.connect(name());
    }

    /** The sessions that wait for a lock at the target; also of a process that was killed. */
    List<String> waiting() throws SQLException {
        return atTarget(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
    }

    /** Entries of the book that have arrived; in the mode append changes of any table. */
    long arrived() throws SQLException {
        return rows(mode == Mode.UPSERT ? Ledger.TABLE : CHANGES);
    }

    /** Rows of a table at the target; 0 if it is not there. */
    long rows(String table) throws SQLException {
        boolean there =
                !atTarget("SELECT to_regclass('public." + table + "')").get(0).isEmpty();
        return there ? Long.parseLong(atTarget("SELECT count(*) FROM " + table).get(0)) : 0;
    }

    /** Waits until so many more have {@link #arrived}. */
    void awaitArrived(long more) throws SQLException {
        long goal = arrived() + more;
        await(more + " more to arrive", () -> arrived() >= goal);
    }

    /** Takes hold of the target as soon as the sink has been opened there once. */
    FenceGrip grip() throws SQLException {
        if (rows("tidegate_position") == 0) {
            await("the fence at the target", () -> rows("tidegate_position") > 0);
        }
        return FenceGrip.on(target, this);
    }

    /**
     * Lets everything be delivered, and stops the pipeline.
     *
     * @param load is paused
     */
    Standing drain(Load load) throws SQLException {
        long token = load.mark();
        String last = mode == Mode.UPSERT
                ? "SELECT 1 FROM ledger WHERE token = " + token
                : "SELECT 1 FROM changes WHERE seq > (SELECT max(seq) - 1000 FROM changes) AND change #>> '{after,token}' = '"
                        + token + "'";
        await("the last transaction", () -> !atTarget(last).isEmpty());
        return stop();
    }

    /** Lets everything be delivered, stops the pipeline, and judges what the target holds. */
    Standing finish(Load load, long seed) throws SQLException, IOException {
        Standing standing = drain(load);
        if (mode == Mode.UPSERT) {
            checkTables(seed);
        } else {
            Verdict verdict = judge(changes().stream());
            System.out.println("chaos " + name() + ", seed " + seed + ": " + verdict.summary());
            assertThat(verdict.faults().size())
                    .as("seed %d: %s", seed, verdict.text())
                    .isZero();
            assertThat(verdict.again()).as("changes that are there again").isZero();
        }
        return standing;
    }

    /** All that was appended, in the order of writing, as the sink {@code file} would have written it. */
    private List<String> changes() throws SQLException {
        return atTarget("SELECT change FROM " + CHANGES + " ORDER BY seq");
    }

    /** In the mode append, all that was appended, in the order of writing. */
    List<Delivered> delivered() throws SQLException {
        return changes().stream().map(Delivered::parse).toList();
    }

    /** The target has the source's tables, row by row, and no other. */
    void checkTables(long seed) throws SQLException {
        List<String> tables = server().queryIn(name(), TABLES);
        assertThat(atTarget(TABLES)).isSubsetOf(tables);
        long count = 0;
        for (String table : tables) {
            Set<String> right = contents(server(), table);
            Set<String> ours = rows(table) == 0 ? Set.of() : contents(target, table);
            Set<String> missing = new HashSet<>(right);
            missing.removeAll(ours);
            Set<String> wrong = new HashSet<>(ours);
            wrong.removeAll(right);
            assertThat(missing.size() + wrong.size())
                    .as(
                            "seed %d, %s: missing or not the same %s, too much or not the same %s",
                            seed, table, some(missing), some(wrong))
                    .isZero();
            count += right.size();
        }
        System.out.println(
                "chaos " + name() + ", seed " + seed + ": " + count + " rows in " + tables.size() + " tables");
    }

    /** Rows of a table that a snapshot has brought, attempts counted together in the mode append. */
    long chunkRows(String table) throws SQLException {
        if (mode == Mode.UPSERT) {
            return rows(table);
        }
        return rows(CHANGES) == 0
                ? 0
                : Long.parseLong(
                        atTarget("SELECT count(*) FROM changes WHERE op = 'r' AND change #>> '{source,table}' = '"
                                        + table + "'")
                                .get(0));
    }

    /**
     * What is appended of a table that was in catch-up: each change of the log once, in its order, and as many of each
     * transaction as the book says; each row that was read once in an attempt.
     */
    void checkCatchUp(String table) throws SQLException {
        String ours = " FROM changes WHERE change #>> '{source,table}' = '" + table + "'";
        assertThat(atTarget("SELECT count(*) = count(DISTINCT ordinal) FROM changes WHERE ordinal IS NOT NULL"))
                .as("each change of the log is there once")
                .containsExactly("t");
        assertThat(atTarget(
                        "SELECT count(*) FROM (SELECT ordinal < lag(ordinal) OVER (ORDER BY seq) AS back FROM changes"
                                + " WHERE ordinal IS NOT NULL) x WHERE back"))
                .as("changes of the log that stand behind later ones")
                .containsExactly("0");
        Set<String> delivered = new HashSet<>(
                atTarget("SELECT change #>> '{source,tx}', count(*)" + ours + " AND ordinal IS NOT NULL GROUP BY 1"));
        Set<String> book = new HashSet<>(
                server().queryIn(name(), "SELECT xmin, sum(n) FROM ledger WHERE tab = '" + table + "' GROUP BY xmin"));
        assertThat(delivered).as("transactions, and their changes").isEqualTo(book);
        assertThat(atTarget(
                        "SELECT count(*) = count(DISTINCT (attempt, change #>> '{key,id}'))" + ours + " AND op = 'r'"))
                .as("a row is read once in an attempt")
                .containsExactly("t");
        assertThat(atTarget("SELECT count(*) FROM (SELECT attempt FROM changes WHERE op = 'r' GROUP BY attempt"
                        + " HAVING count(DISTINCT snapshot) > 1) x"))
                .as("attempts of which not all reads have one H")
                .containsExactly("0");
        assertThat(Long.parseLong(
                        atTarget("SELECT count(*)" + ours + " AND catch_up").get(0)))
                .as("changes in catch-up")
                .isPositive();
        assertThat(Long.parseLong(atTarget("SELECT count(DISTINCT attempt)" + ours + " AND op = 'r'")
                        .get(0)))
                .as("attempts")
                .isGreaterThan(1);
    }

    private static List<String> some(Set<String> rows) {
        List<String> all = new ArrayList<>(rows);
        return all.subList(0, Math.min(5, all.size()));
    }

    /** A text of each row that no other content has. */
    private Set<String> contents(PostgresServer at, String table) throws SQLException {
        return new HashSet<>(at.queryIn(
                name(), "SELECT left(to_jsonb(t)::text, 60) || ' ' || md5(to_jsonb(t)::text) FROM " + table + " t"));
    }

    @Override
    public void close() {
        super.close();
        try {
            watching.close();
        } catch (SQLException e) {
            throw new IllegalStateException("a connection to the target does not close", e);
        }
    }
}
