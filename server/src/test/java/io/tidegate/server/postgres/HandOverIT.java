package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.postgres.SharedPostgres;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From snapshot to log: that a slot is there, or that all rows were read, never means that they were delivered. */
class HandOverIT {

    private static final int ROWS = 5_000;

    @TempDir
    Path folder;

    /** Cases pg-snapshot-lost-on-crash-after-handoff and pg-temporary-slot-promotion: killed at each of these points. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 1_000_000})
    void deliversWhatWasNotDeliveredWhenItIsKilledAfterSoManyWrites(int writes) throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Rig rig = new Rig(
                        folder,
                        database.server(),
                        database.name(),
                        Rig.url(database.name(), database.server().port()),
                        "tables: [public.t]")) {
            database.execute(
                    "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t SELECT generate_series(1, " + ROWS + ")");
            rig.sink.hangAfter(writes);
            rig.startMortal();
            if (writes > ROWS) {
                rig.awaitSize(ROWS);
            } else {
                rig.awaitHanging();
                assertThat(rig.status().places().done()).isZero();
            }
            Set<String> before = new HashSet<>(rig.sink.durable());
            assertThat(before.size()).isBetween(0, ROWS);
            database.execute("INSERT INTO t VALUES (" + (ROWS + 1) + ")", "DELETE FROM t WHERE id = 1");
            rig.crash();
            int delivered = rig.sink.size();
            rig.startAndRead();
            database.execute("INSERT INTO t VALUES (" + (ROWS + 2) + ")");
            rig.awaitDurable("c t " + (ROWS + 2));
            List<String> again = rig.sink.durable().subList(delivered, rig.sink.size());
            Set<String> rows = IntStream.rangeClosed(2, ROWS + 1)
                    .mapToObj(n -> " t " + n)
                    .collect(Collectors.toCollection(HashSet::new));
            before.forEach(text -> rows.remove(text.substring(1)));
            again.forEach(text -> rows.remove(text.substring(1)));
            assertThat(rows).as("rows that never came").isEmpty();
            boolean truncated = again.contains("t t");
            assertThat(truncated || again.contains("d t 1") || !before.contains("r t 1"))
                    .as("the deleted row is not left behind")
                    .isTrue();
            assertThat(truncated).as("a snapshot that starts again").isEqualTo(writes <= ROWS);
        }
    }
}
