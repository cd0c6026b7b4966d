package io.tidegate.testkit.explore;

import java.util.Arrays;

/** The steps that a world can take: those that make progress first, faults behind them. Used again and again. */
final class Choices {

    private int[] steps = new int[64];
    private int size;
    private int progress;

    void clear() {
        size = 0;
        progress = 0;
    }

    void add(int step) {
        if (size == steps.length) {
            steps = Arrays.copyOf(steps, size * 2);
        }
        steps[size++] = step;
    }

    void add(Step step) {
        add(step.code());
    }

    /** What was added so far is progress. */
    void endProgress() {
        progress = size;
    }

    int size() {
        return size;
    }

    int progress() {
        return progress;
    }

    int get(int index) {
        return steps[index];
    }

    int[] toArray() {
        return Arrays.copyOf(steps, size);
    }
}
