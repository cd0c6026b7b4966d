package io.tidegate.connector.postgres.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Origin;
import io.tidegate.spi.Position;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a checkpoint holds of a place in the log, and what a change says of its own. */
class PositionsTest {

    private static final Lsn LOW = Lsn.parse("0/10");
    private static final Lsn HIGH = Lsn.parse("0/20");

    private final LsnPositions positions = new LsnPositions();

    private static List<String> described(PgOrigin origin) {
        List<String> fields = new ArrayList<>();
        origin.describe(new Origin.FieldVisitor() {
            @Override
            public void text(String name, String value) {
                fields.add(name + "='" + value + "'");
            }

            @Override
            public void number(String name, long value) {
                fields.add(name + "=" + value);
            }

            @Override
            public void bool(String name, boolean value) {
                fields.add(name + "=" + value);
            }
        });
        return fields;
    }

    @Test
    void anLsnIsNeitherBeforeNorAfterItself() {
        assertThat(LOW.isBefore(LOW)).isFalse();
        assertThat(LOW.isAfter(LOW)).isFalse();
        assertThat(LOW.isBefore(HIGH)).isTrue();
        assertThat(HIGH.isBefore(LOW)).isFalse();
        assertThat(HIGH.isAfter(LOW)).isTrue();
        assertThat(LOW.isAfter(HIGH)).isFalse();
    }

    @Test
    void refusesTheNeighboursOfDigits() {
        for (String digit : List.of("/", ":", "@", "G")) {
            assertThatThrownBy(() -> Lsn.parse("0/1" + digit)).hasMessageContaining("is not an LSN such as");
        }
        assertThat(Lsn.parse("90AF/90AF").value()).isEqualTo(0x90AF_0000_90AFL);
        assertThat(Lsn.parse("F0000000/F0000000").toString()).isEqualTo("F0000000/F0000000");
    }

    @Test
    void aRaisedPositionComesBackFromItsText() {
        Position raised = new RaisedLsn(LOW, HIGH);
        assertThat(positions.print(raised)).isEqualTo("0/10+0/20");
        assertThat(positions.parse("0/10+0/20")).isEqualTo(raised);
        assertThat(positions.parse("0/10")).isEqualTo(LOW);
    }

    @Test
    void refusesATextThatNoPositionHas() {
        for (String text : List.of("+", "0/10+", "+0/20", "0/10+0/20+0/30", "0/20+0/10", "0/10+0/10")) {
            assertThatThrownBy(() -> positions.parse(text)).as(text).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void isRaisedOnlyAsLongAsTheEndOfCatchUpIsToCome() {
        assertThat(RaisedLsn.of(LOW, HIGH)).isEqualTo(new RaisedLsn(LOW, HIGH));
        assertThat(RaisedLsn.of(HIGH, HIGH)).isEqualTo(HIGH);
        assertThat(RaisedLsn.of(HIGH, LOW)).isEqualTo(HIGH);
        assertThat(RaisedLsn.lsn(new RaisedLsn(LOW, HIGH))).isEqualTo(LOW);
        assertThat(RaisedLsn.lsn(HIGH)).isEqualTo(HIGH);
        assertThat(RaisedLsn.catchUpEnd(new RaisedLsn(LOW, HIGH))).isEqualTo(HIGH);
        assertThat(RaisedLsn.catchUpEnd(LOW)).isEqualTo(LOW);
    }

    @Test
    void ordersByThePlaceInTheLogAndThenByTheEndOfCatchUp() {
        List<Position> inOrder = List.of(
                LOW,
                new RaisedLsn(LOW, HIGH),
                new RaisedLsn(LOW, Lsn.parse("0/30")),
                HIGH,
                new RaisedLsn(HIGH, Lsn.parse("0/21")));
        for (int i = 0; i < inOrder.size(); i++) {
            for (int j = 0; j < inOrder.size(); j++) {
                assertThat(Integer.signum(positions.compare(inOrder.get(i), inOrder.get(j))))
                        .as("%s and %s", inOrder.get(i), inOrder.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    @Test
    void countsBytesOfLog() {
        assertThat(positions.number(LOW)).hasValue(16);
        assertThat(positions.number(new RaisedLsn(HIGH, Lsn.parse("0/21")))).hasValue(32);
    }

    @Test
    void refusesThePositionOfAnotherSource() {
        Position other = new Position() {};
        assertThatThrownBy(() -> positions.print(other)).hasMessageContaining("not a position of a PostgreSQL source");
        assertThatThrownBy(() -> positions.compare(other, LOW)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RaisedLsn.catchUpEnd(other)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aChangeOfTheLogSaysWhereItStands() {
        PgOrigin.Transaction transaction = new PgOrigin.Transaction(7, HIGH, 123, null);
        PgOrigin.Log row = new PgOrigin.Log(transaction, LOW, 3, 0, false);
        assertThat(row.committedAtMicros()).isEqualTo(123);
        assertThat(row.position()).isEqualTo("0/20#3");
        assertThat(row.ordinal()).containsExactly(0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 3);
        assertThat(described(row))
                .containsExactly("tx=7", "lsn='0/10'", "commit_lsn='0/20'", "number=3", "snapshot=false");
    }

    @Test
    void aMessageSaysItsOwnNumberToo() {
        PgOrigin.Transaction transaction = new PgOrigin.Transaction(7, HIGH, 123, "elsewhere");
        PgOrigin.Log message = new PgOrigin.Log(transaction, LOW, 3, 2, true);
        assertThat(message.position()).isEqualTo("0/20#3.2");
        assertThat(message.ordinal()).containsExactly(0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 3, 0, 0, 0, 2);
        assertThat(message.catchUp()).isTrue();
        assertThat(described(message))
                .containsExactly(
                        "tx=7",
                        "lsn='0/10'",
                        "commit_lsn='0/20'",
                        "number=3",
                        "message=2",
                        "snapshot=false",
                        "origin='elsewhere'",
                        "catch_up=true");
    }

    @Test
    void aRowOfASnapshotSaysFromWhichAttemptItIs() {
        PgOrigin.Snapshot origin = new PgOrigin.Snapshot(LOW, 456, 2);
        assertThat(origin.committedAtMicros()).isEqualTo(456);
        assertThat(origin.ordinal()).isEmpty();
        assertThat(origin.position()).isEqualTo("0/10");
        assertThat(origin.attempt()).isEqualTo(2);
        assertThat(described(origin)).containsExactly("lsn='0/10'", "snapshot=true", "attempt=2");
    }
}
