package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitProgress;
import io.tidegate.testkit.postgres.PostgresServer;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A standby is no source, also where the server would let it be one, until it is promoted. */
class StandbyIT {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void aStandbyIsRefusedInWordsAndNoPositionIsCalledLostThere(int version) throws Exception {
        try (PostgresServer server = PostgresServer.version(version).start()) {
            SourceLoop later = becomesStandby(server);

            assertThat(Sources.errors(Sources.of(server, "slot.name", "other").check(Checkpoint.EMPTY)))
                    .anyMatch(text -> text.contains("is a standby") && text.contains("name the primary in 'url'"));
            Sources.refuses(
                    new SourceLoop(Sources.of(server, "slot.name", "other")), ErrorCode.PREFLIGHT, "is a standby");
            assertThat(server.query("SELECT slot_name FROM pg_replication_slots"))
                    .containsExactly("s");

            Sources.refuses(later, ErrorCode.SOURCE_UNAVAILABLE, "is a standby");
            later.progress(new SplitProgress(
                    later.log().plan().id(), Lsn.parse("FFFF/0"), false)); // it lags behind the primary
            Sources.refuses(later, ErrorCode.SOURCE_UNAVAILABLE, "is a standby");
        }
    }

    /** Its log goes on on another timeline. */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void aStandbyThatIsPromotedIsReadOnFromTheCheckpoint(int version) throws Exception {
        try (PostgresServer server = PostgresServer.version(version).start()) {
            SourceLoop loop = becomesStandby(server);
            server.query("SELECT pg_promote()");
            server.execute("INSERT INTO t VALUES (3)");
            loop.changes.clear();
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readLog(session, changes -> changes.size() >= 2);
            }
            assertThat(loop.changes).containsExactly("c public.t id=2", "c public.t id=3");
        }
    }

    /** A pipeline that has its snapshot and has row 2 still to read, on a server that has become a standby. */
    private static SourceLoop becomesStandby(PostgresServer server) throws Exception {
        server.execute("CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
        SourceLoop loop = Sources.born(Sources.of(server));
        server.execute("INSERT INTO t VALUES (2)");
        assertThat(server.stopFast(LIMIT)).isTrue();
        Files.createFile(server.data().resolve("standby.signal"));
        server.start();
        assertThat(server.query("SELECT pg_is_in_recovery()")).containsExactly("t");
        return loop;
    }
}
