package io.tidegate.connector.postgres.birth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.wire.ReplicationConnection.TimelineEnd;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rule 2: a failover is legitimate if the log that was read is part of the new server's history. */
class ContinuityTest {

    private static final List<TimelineEnd> HISTORY =
            List.of(new TimelineEnd(1, Lsn.parse("0/5000000")), new TimelineEnd(3, Lsn.parse("0/8000000")));

    @ParameterizedTest
    @CsvSource({"1, 0/4FFFFFF", "1, 0/5000000", "3, 0/8000000"})
    void goesOnWhenTheForkLiesAtOrAfterTheCheckpoint(int stored, String position) {
        assertThatCode(() -> Continuity.fork(HISTORY, 4, stored, Lsn.parse(position)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"1, 0/5000001, left timeline 1 at 0/5000000", "3, 0/8000001, left timeline 3 at 0/8000000",
        "2, 0/1, does not descend from timeline 2", "5, 0/1, does not descend from timeline 5"})
    void losesThePositionWhenTheCheckpointIsNotInTheHistory(int stored, String position, String said) {
        assertThatThrownBy(() -> Continuity.fork(HISTORY, 4, stored, Lsn.parse(position)))
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POSITION_LOST))
                .hasMessageContaining(said);
    }
}
