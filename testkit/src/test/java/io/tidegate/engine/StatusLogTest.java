package io.tidegate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.SnapshotProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusLogTest {

    @Test
    void aSnapshotsLineNamesTheTablesThatAreReadWithTheirTime() {
        List<PipelineStatus.Table> tables = new ArrayList<>();
        tables.add(table("public.done", 10, 10, 1, Duration.ZERO));
        tables.add(table("public.orders", 1_500_000, 2_000_000, 0, Duration.ofSeconds(100)));
        tables.add(table("public.waits", 0, 1_000_000, 0, null));

        assertThat(StatusLog.snapshot(new PipelineStatus.Snapshot(tables, 5_000.4, Duration.ofMinutes(150))))
                .isEqualTo("snapshot 50 %, 1,500,010 of about 3,000,010 rows, 5,000 rows/s, 2 h 30 min left;"
                        + " 1 of 3 tables done; public.orders 75 % (100 s left)");
    }

    @Test
    void ofManyTablesALineNamesAFew() {
        List<PipelineStatus.Table> tables = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            tables.add(table("t" + i, 1, 4, 0, null));
        }
        assertThat(StatusLog.snapshot(new PipelineStatus.Snapshot(tables, 0, null)))
                .isEqualTo("snapshot 25 %, 10,000 of about 40,000 rows, 0 rows/s, time left unknown; 0 of 10000 tables"
                        + " done; t0 25 % (time left unknown), t1 25 % (time left unknown), t2 25 % (time left unknown),"
                        + " t3 25 % (time left unknown), and 9996 more");
    }

    private static PipelineStatus.Table table(
            String name, long done, long total, int chunksDone, @org.jspecify.annotations.Nullable Duration left) {
        return new PipelineStatus.Table(new SnapshotProgress(name, done, total, chunksDone, 1), 0, left);
    }
}
