package io.tidegate.testkit.mutant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Positions;
import io.tidegate.testkit.fake.NumberPositions;
import org.junit.jupiter.api.Test;

class MutantCompilerTest {

    private static final String FILE = "testkit/src/main/java/io/tidegate/testkit/fake/NumberPositions.java";
    private static final String FAKES = "io.tidegate.testkit.fake.";

    @Test
    void runsTheChangedClassInPlaceOfTheOriginalAndLeavesTheOriginalAlone() throws Exception {
        Positions changed = positions(MutantCompiler.load(change("Integer.parseInt(text)", "-7"), FAKES));
        assertThat(changed.print(changed.parse("12"))).isEqualTo("-7");
        Positions original = new NumberPositions();
        assertThat(original.print(original.parse("12"))).isEqualTo("12");
    }

    @Test
    void loadsTheClassesOfThePackagesAnewWithoutAChange() throws Exception {
        Positions anew = positions(MutantCompiler.loadUnchanged(FAKES));
        assertThat(anew).isNotInstanceOf(NumberPositions.class);
        assertThat(anew.print(anew.parse("12"))).isEqualTo("12");
    }

    @Test
    void refusesATextThatIsNotThereExactlyOnce() {
        assertThatThrownBy(() -> MutantCompiler.load(change("Place(", "Spot("), FAKES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not found exactly once");
        assertThatThrownBy(() -> MutantCompiler.load(change("is not there", ""), FAKES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not found exactly once");
    }

    @Test
    void refusesAChangeThatDoesNotCompileAndOneThatNothingWouldLoad() {
        assertThatThrownBy(() -> MutantCompiler.load(change("Integer.parseInt(text)", "text"), FAKES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("does not compile");
        assertThatThrownBy(() -> MutantCompiler.load(change("Integer.parseInt(text)", "1"), "io.tidegate.spi."))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("nothing would load");
    }

    private static Replacement change(String find, String put) {
        return new Replacement(FILE, find, put);
    }

    private static Positions positions(ClassLoader loader) throws Exception {
        Class<?> type = loader.loadClass(NumberPositions.class.getName());
        return (Positions) type.getDeclaredConstructor().newInstance();
    }
}
