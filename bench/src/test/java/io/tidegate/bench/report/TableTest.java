package io.tidegate.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void aFigureHasThreeDigitsThatMatter() {
        assertThat(List.of(0.0, 0.123, 1.2345, 12.345, 123.45, 1234567.8, Double.NaN).stream()
                        .map(Figures::number))
                .containsExactly("0", "0.12", "1.23", "12.3", "123", "1,234,568", "–");
    }

    @Test
    void theMedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(Figures.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
        assertThat(Figures.median(List.of(9.0, 1.0, 2.0, 4.0))).isEqualTo(3);
        assertThat(Figures.spread(List.of(9.0, 1.0, 2.0))).isEqualTo("1.00–9.00");
    }

    @Test
    void isMarkdownWithItsColumnsAligned() {
        Table table = new Table("Runs", List.of("contender", "wall (s)")).row("floor", 12.345);
        assertThat(table.markdown()).isEqualTo("""
                        ### Runs

                        | contender | wall (s) |
                        | --------- | -------: |
                        | floor     |     12.3 |
                        """);
    }

    @Test
    void aRowWithAnotherNumberOfCellsIsRefused() {
        Table table = new Table("Runs", List.of("contender", "wall (s)"));
        assertThatThrownBy(() -> table.row("floor")).hasMessageContaining("1 cells for 2 columns");
    }
}
