package io.tidegate.connector.postgres.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LsnTest {

    private final LsnPositions positions = new LsnPositions();

    @Test
    void printsAndParsesWhatTheServerPrints() {
        for (String text : List.of("0/0", "0/1776B40", "1/0", "FFFFFFFF/FFFFFFFF", "A0/B", "16/B374D848")) {
            assertThat(Lsn.parse(text).toString()).isEqualTo(text);
        }
        assertThat(Lsn.parse("16/B374D848").value()).isEqualTo(0x16_B374_D848L);
    }

    @Test
    void anyLsnComesBackFromItsText() {
        long seed = 20261129;
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            Lsn lsn = new Lsn(random.nextLong() >>> random.nextInt(64));
            String text = positions.print(lsn);
            assertThat(positions.parse(text)).as("seed %d, case %d", seed, i).isEqualTo(lsn);
            assertThat(text)
                    .isEqualTo(String.format(Locale.ROOT, "%X/%X", lsn.value() >>> 32, lsn.value() & 0xFFFFFFFFL));
        }
    }

    /** Whether a text was asked for or not. */
    @Test
    void isEqualByItsValue() {
        Lsn printed = new Lsn(0x16_B374_D848L);
        assertThat(printed).hasToString("16/B374D848");
        assertThat(printed).isEqualTo(new Lsn(0x16_B374_D848L)).hasSameHashCodeAs(new Lsn(0x16_B374_D848L));
        assertThat(printed).isNotEqualTo(new Lsn(0x16_B374_D849L)).isNotEqualTo("16/B374D848");
        assertThat(new Lsn(1).hashCode()).isNotEqualTo(new Lsn(2).hashCode());
    }

    @Test
    void refusesWhatItCannotPrint() {
        for (String text : List.of(
                "",
                "/",
                "0",
                "0/",
                "/0",
                "00/1",
                "0/01",
                "0/1776b40",
                " 0/1",
                "0/1 ",
                "0/1/2",
                "+1/2",
                "-1/2",
                "0/G",
                "100000000/0",
                "0/100000000",
                "0x1/0",
                "０/1")) {
            assertThatThrownBy(() -> positions.parse(text)).as(text).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void ordersBeyondTheSignBit() {
        Lsn low = Lsn.parse("7FFFFFFF/FFFFFFFF");
        Lsn high = Lsn.parse("80000000/0");
        assertThat(positions.compare(low, high)).isNegative();
        assertThat(high.isAfter(low)).isTrue();
        assertThat(low.isBefore(high)).isTrue();
        assertThat(positions.compare(high, Lsn.parse("80000000/0"))).isZero();
    }

    @Test
    void ordersAsNumbersWhateverTheLengthOfTheTexts() {
        List<Lsn> inOrder = Stream.of("0/9", "0/10", "0/FF", "0/100", "2/0", "10/0")
                .map(Lsn::parse)
                .toList();
        for (int i = 1; i < inOrder.size(); i++) {
            assertThat(positions.compare(inOrder.get(i - 1), inOrder.get(i)))
                    .as(inOrder.get(i - 1) + " and " + inOrder.get(i))
                    .isNegative();
        }
    }

    @Test
    void ordinalsOrderAsTransactionsAndNumbersDo() {
        PgOrigin.Transaction early = new PgOrigin.Transaction(9, Lsn.parse("7FFFFFFF/FF"), 0, null);
        PgOrigin.Transaction late = new PgOrigin.Transaction(8, Lsn.parse("80000000/0"), 0, null);
        List<PgOrigin> inOrder = List.of(
                new PgOrigin.Log(early, Lsn.ZERO, 1, 0, false),
                new PgOrigin.Log(early, Lsn.ZERO, 1, 1, false),
                new PgOrigin.Log(early, Lsn.ZERO, 2, 0, false),
                new PgOrigin.Log(early, Lsn.ZERO, 256, 0, false),
                new PgOrigin.Log(late, Lsn.ZERO, 1, 0, false));
        for (int i = 1; i < inOrder.size(); i++) {
            assertThat(java.util.Arrays.compareUnsigned(
                            inOrder.get(i - 1).ordinal(), inOrder.get(i).ordinal()))
                    .isNegative();
        }
        assertThat(inOrder.get(2).ordinal()).hasSize(12);
        assertThat(inOrder.get(2).position()).isEqualTo("7FFFFFFF/FF#2");
    }
}
