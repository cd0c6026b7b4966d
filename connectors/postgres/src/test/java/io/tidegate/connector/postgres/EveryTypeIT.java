package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.postgres.value.Seen;
import io.tidegate.connector.postgres.value.TypeCases;
import io.tidegate.spi.Change;
import io.tidegate.spi.Op;
import io.tidegate.spi.Row;
import io.tidegate.spi.SourceSession;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a column of each type gives, from snapshot and log, whatever role and database have set. */
class EveryTypeIT {

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void givesWhatTheRowHoldsFromSnapshotAndLog(int version) throws Exception {
        TypeCases cases = TypeCases.of(version);
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(cases.tables().toArray(String[]::new));
            db.execute(cases.inserts(1).toArray(String[]::new));
            everyBuiltInTypeIsThere(db);
            for (String setting : List.of(
                    "datestyle = 'SQL, DMY'",
                    "intervalstyle = 'postgres_verbose'",
                    "bytea_output = 'escape'",
                    "extra_float_digits = -5",
                    "xmloption = 'document'",
                    "quote_all_identifiers = on",
                    "search_path = public, pg_catalog",
                    "timezone = 'Asia/Kathmandu'")) {
                db.execute("ALTER DATABASE " + db.name() + " SET " + setting);
            }
            SourceLoop loop = new SourceLoop(Sources.of(db, "tables", "public.t*"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
                List<String> more = new ArrayList<>(List.of("RESET ALL", "SET xmloption = 'content'"));
                more.addAll(cases.inserts(2));
                db.execute(more.toArray(String[]::new));
                loop.readLog(session, changes -> changes.size() >= 2 * cases.tableCount());
            }
            List<String> wrong = new ArrayList<>();
            loop.taken.forEach(change -> judge(change, cases, wrong));
            assertThat(wrong).isEmpty();
            assertThat(loop.taken).extracting(Change::op).containsOnly(Op.READ, Op.CREATE);
            assertThat(loop.taken).hasSize(2 * cases.tableCount());
        }
    }

    private static void judge(Change change, TypeCases cases, List<String> wrong) {
        Row row = Objects.requireNonNull(change.after());
        int column = 1;
        for (TypeCases.Case one : cases.of(change.table().name())) {
            String seen = Seen.of(row, column);
            if (!one.matches(seen)) {
                wrong.add(change.op() + " " + one + " is seen as " + seen);
            }
            column++;
        }
    }

    /** Arrays, domains and multiranges count as types too; a type without a column here fails. */
    private static void everyBuiltInTypeIsThere(SharedPostgres.Database db) throws SQLException {
        assertThat(
                        db.query(
                                "SELECT t.oid::regtype FROM pg_type t WHERE t.oid < 16384 AND t.typtype IN ('b','d','r','m','e')"
                                        + " AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = (SELECT e.typrelid FROM pg_type e"
                                        + " WHERE e.typarray = t.oid) AND c.oid <> 0)"
                                        + " AND NOT EXISTS (SELECT FROM pg_type e WHERE e.typarray = t.oid AND e.typtype = 'p')"
                                        + " AND NOT EXISTS (SELECT FROM pg_attribute a JOIN pg_class r ON r.oid = a.attrelid"
                                        + " WHERE r.relnamespace = 'public'::regnamespace AND r.relkind = 'r' AND a.atttypid = t.oid)"))
                .as("built-in types that no test has")
                .isEmpty();
    }
}
