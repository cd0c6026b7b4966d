package io.tidegate.testkit.property;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.testkit.property.Property.Failed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PropertyTest {
    @AfterEach
    void clearProperties() {
        for (String name : List.of(Property.SEED, Property.BASE, Property.TIMES)) {
            System.clearProperty(name);
        }
    }

    @Test
    void runsAsOftenAsAskedWithOtherChoicesEachTimeAndTheSameInTheNextBuild() {
        List<Long> first = new ArrayList<>();
        List<Long> second = new ArrayList<>();

        Property.check("some property", 100, choices -> first.add(choices.bits()));
        Property.check("some property", 100, choices -> second.add(choices.bits()));

        assertThat(first).hasSize(100).doesNotHaveDuplicates().isEqualTo(second);
    }

    @Test
    void givesEachNameAndEachBaseOtherChoices() {
        Set<Long> seen = new HashSet<>();
        Property.check("some property", 100, choices -> seen.add(choices.bits()));
        Property.check("another property", 100, choices -> seen.add(choices.bits()));
        System.setProperty(Property.BASE, "12");
        Property.check("some property", 100, choices -> seen.add(choices.bits()));
        System.setProperty(Property.BASE, "random");
        System.setProperty(Property.TIMES, "3");
        Property.check("some property", 100, choices -> seen.add(choices.bits()));

        assertThat(seen).hasSize(600);
    }

    @Test
    void shrinksANumberToTheLowestThatFails() {
        Failed failed =
                failureOf(choices -> assertThat(choices.below(1_000_000)).isLessThan(4711));

        assertThat(failed.record()).isEqualTo("4711");
    }

    @Test
    void shrinksToNoChoiceAtAllWhenNoneMatters() {
        Failed failed = failureOf(choices -> {
            choices.list(10, Choices::bits);
            throw new IllegalStateException("always");
        });

        assertThat(failed.record()).isEqualTo("0");
    }

    @Test
    void shrinksAListToTheElementsThatMatter() {
        List<List<Integer>> failing = new ArrayList<>();

        failureOf(choices -> {
            List<Integer> list = choices.list(50, each -> each.below(1000));
            if (list.stream().filter(number -> number >= 100).count() >= 3) {
                failing.add(list);
                throw new IllegalStateException("three large numbers");
            }
        });

        assertThat(failing.get(failing.size() - 1)).hasSizeLessThanOrEqualTo(50);
        assertThat(smallest(failing)).containsExactly(100, 100, 100);
    }

    @Test
    void shrinksWhereASizeComesFirstAndItsElementsFollow() {
        List<List<Integer>> failing = new ArrayList<>();

        failureOf(choices -> {
            List<Integer> list = new ArrayList<>();
            int size = choices.below(40);
            for (int i = 0; i < size; i++) {
                list.add(choices.between(-500, 500));
            }
            if (list.stream().anyMatch(number -> number < -7)) {
                failing.add(list);
                throw new IllegalStateException("a number below -7");
            }
        });

        assertThat(smallest(failing)).containsExactly(-8);
    }

    @Test
    void shrinksTextToItsShortestAndPlainest() {
        List<String> failing = new ArrayList<>();

        failureOf(choices -> {
            String text = choices.text(30);
            if (text.contains("'") && text.length() >= 3) {
                failing.add(text);
                throw new IllegalStateException("a quote in " + text);
            }
        });

        assertThat(failing.stream().mapToInt(String::length).min()).hasValue(3);
        assertThat(failing).containsAnyOf("aa'", "a'a", "'aa");
    }

    @Test
    void keepsToTheFailureItFoundWhenAnotherOneIsSimpler() {
        Failed failed = failureOf(choices -> {
            int number = choices.below(1_000_000);
            if (number > 900) {
                throw new IllegalStateException("above 900");
            }
            throw new UnsupportedOperationException("any other");
        });

        assertThat(failed).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(failed.record()).isEqualTo("901");
    }

    @Test
    void replaysASeedToTheSameChoicesAndTheSameFailure() {
        List<List<Integer>> runs = new ArrayList<>();
        Property.Body body = choices -> {
            List<Integer> list = choices.list(20, each -> each.below(100));
            runs.add(list);
            assertThat(list).doesNotContain(99);
        };
        String message = failureOf(body).getMessage();
        // The failing run is made twice: found, then recorded.
        List<Integer> found = runs.get(duplicateIndex(runs));
        String seed = message.replaceAll("(?s).*-Dproperty\\.seed=(-?\\d+).*", "$1");

        runs.clear();
        System.setProperty(Property.SEED, seed);
        assertThatThrownBy(() -> Property.check("some property", 1000, body)).isInstanceOf(Failed.class);
        assertThat(runs.get(0)).isEqualTo(found);

        runs.clear();
        assertThatThrownBy(() -> Property.replaySeed("some property", Long.parseLong(seed), body))
                .isInstanceOf(Failed.class);
        assertThat(runs.get(0)).isEqualTo(found);
    }

    @Test
    void replaysTheRecordOfTheSmallestFailure() {
        List<String> texts = new ArrayList<>();
        Property.Body body = choices -> {
            String text = choices.text(20) + choices.between(-5, 5) + choices.shuffled(List.of(1, 2, 3));
            texts.add(text);
            assertThat(text).hasSizeLessThan(18);
        };
        Failed failed = failureOf(body);
        assertThat(failed.getMessage()).contains("Property.replay(\"some property\", \"" + failed.record() + "\"");

        texts.clear();
        Failed again =
                catchThrowableOfType(Failed.class, () -> Property.replay("some property", failed.record(), body));
        assertThat(texts).hasSize(1);
        assertThat(again.getCause().getMessage()).isEqualTo(failed.getCause().getMessage());
        Property.replay(
                "some property", "", choices -> assertThat(choices.bits()).isZero());
    }

    @Test
    void recordsAndReplaysEverySortOfChoice() {
        Property.check("records replay", 500, choices -> {
            Choices recording = Choices.recording(choices.bits());
            String drawn = everySort(recording);
            Choices replay = Choices.replaying(recording.record());

            assertThat(everySort(replay)).isEqualTo(drawn);
            assertThat(replay.record()).isEqualTo(recording.record());
        });
    }

    @Test
    void saysThatAPropertyIsNotDeterminedByItsChoices() {
        AtomicInteger runs = new AtomicInteger();

        Failed failed = failureOf(choices -> assertThat(runs.incrementAndGet()).isNotEqualTo(7));

        assertThat(failed).hasMessageContaining("not determined by its choices");
        assertThat(runs).hasValue(8);
    }

    @Test
    void endsWhenAShorterRecordWouldDrawForEver() {
        Failed failed = failureOf(choices -> {
            while (choices.below(10) != 9) {
                choices.below(10);
            }
            throw new IllegalStateException("after a nine");
        });

        assertThat(failed.record()).isEqualTo("9");
    }

    @Test
    void failsWhenALabelIsNeverSeen() {
        Property.Body body = choices -> choices.saw(choices.below(1000) < 999 ? "often" : "seldom");

        Property.checkCovering("some property", 10_000, List.of("often", "seldom"), body);
        assertThatThrownBy(() -> Property.checkCovering("some property", 20, List.of("often", "seldom"), body))
                .isInstanceOf(Failed.class)
                .hasMessageContaining("never saw [seldom] in 20 runs")
                .hasMessageContaining("often=20");
    }

    @Test
    void drawsEveryValueOfARangeAndNoneOutside() {
        Choices choices = Choices.seeded(1);
        for (int lowest = -3; lowest <= 3; lowest++) {
            for (int highest = lowest; highest <= 4; highest++) {
                Set<Integer> seen = new HashSet<>();
                for (int i = 0; i < 300; i++) {
                    seen.add(choices.between(lowest, highest));
                }
                assertThat(Collections.min(seen)).isEqualTo(lowest);
                assertThat(Collections.max(seen)).isEqualTo(highest);
                assertThat(seen).hasSize(highest - lowest + 1);
            }
        }
        for (int i = 0; i < 100; i++) {
            assertThat(choices.between(Long.MAX_VALUE - 1, Long.MAX_VALUE)).isGreaterThan(Long.MAX_VALUE - 2);
            assertThat(choices.between(Long.MIN_VALUE, Long.MIN_VALUE + 1)).isLessThan(Long.MIN_VALUE + 2);
        }
        int[] counts = new int[4];
        for (int i = 0; i < 10_000; i++) {
            counts[choices.weighted(0, 1, 8, 1)]++;
        }
        assertThat(counts[0]).isZero();
        assertThat(counts[1]).isBetween(800, 1200);
        assertThat(counts[2]).isBetween(7700, 8300);
    }

    @Test
    void takesTheSimplestValueForAZero() {
        Choices zeros = Choices.replaying("");

        assertThat(zeros.below(7)).isZero();
        assertThat(zeros.between(-5, 5)).isZero();
        assertThat(zeros.between(3, 5)).isEqualTo(3);
        assertThat(zeros.between(-5, -3)).isEqualTo(-3);
        assertThat(zeros.between(Long.MIN_VALUE, Long.MAX_VALUE)).isZero();
        assertThat(zeros.flip()).isFalse();
        assertThat(zeros.chance(100)).isFalse();
        assertThat(zeros.pick(List.of("first", "second"))).isEqualTo("first");
        assertThat(zeros.weighted(1, 9)).isZero();
        assertThat(zeros.text(10)).isEmpty();
        assertThat(zeros.bytes(10)).isEmpty();
        assertThat(zeros.list(10, Choices::bits)).isEmpty();
        assertThat(zeros.shuffled(List.of(1, 2, 3))).containsExactly(1, 2, 3);
    }

    @Test
    void writesTextOfEverySortOfCharacter() {
        List<String> sorts = List.of("empty", "quote", "control", "two bytes", "three bytes", "four bytes", "longest");
        Property.checkCovering("text", 1000, sorts, choices -> {
            String text = choices.text(8);
            assertThat(text.codePointCount(0, text.length())).isLessThanOrEqualTo(8);
            if (text.isEmpty()) {
                choices.saw("empty");
            }
            if (text.codePointCount(0, text.length()) == 8) {
                choices.saw("longest");
            }
            text.codePoints().forEach(character -> {
                assertThat(character).isNotZero();
                assertThat(Character.getType(character)).isNotEqualTo(Character.SURROGATE);
                if (character == '\'') {
                    choices.saw("quote");
                } else if (character < ' ') {
                    choices.saw("control");
                } else if (character > 0xffff) {
                    choices.saw("four bytes");
                } else if (character > 0x7ff) {
                    choices.saw("three bytes");
                } else if (character > 0x7f) {
                    choices.saw("two bytes");
                }
            });
        });
    }

    private static String everySort(Choices choices) {
        return choices.below(9) + " " + choices.between(-3, 12) + choices.between(Long.MIN_VALUE, 5L)
                + choices.chance(3) + choices.pick(List.of("a", "b")) + choices.weighted(1, 2, 3) + choices.bits()
                + choices.list(5, each -> each.text(3)) + choices.text(9, "xyz") + choices.text(9)
                + Arrays.toString(choices.bytes(40)) + choices.shuffled(List.of(1, 2, 3, 4));
    }

    private static Failed failureOf(Property.Body body) {
        Failed failed = catchThrowableOfType(Failed.class, () -> Property.check("some property", 1000, body));
        assertThat(failed).isNotNull();
        return failed;
    }

    private static <T> List<T> smallest(List<List<T>> lists) {
        return lists.stream()
                .min((one, other) -> one.size() != other.size()
                        ? Integer.compare(one.size(), other.size())
                        : Integer.compare(sum(one), sum(other)))
                .orElseThrow();
    }

    private static int sum(List<?> numbers) {
        return numbers.stream().mapToInt(number -> Math.abs((Integer) number)).sum();
    }

    private static int duplicateIndex(List<?> list) {
        int index = 0;
        while (!list.get(index).equals(list.get(index + 1))) {
            index++;
        }
        return index;
    }
}
