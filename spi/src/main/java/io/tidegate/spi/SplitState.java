package io.tidegate.spi;

/** A stored split: its plan, which never changes, and its progress. */
public record SplitState(SplitPlan plan, SplitProgress progress) {

    public SplitState {
        if (!plan.id().equals(progress.id())) {
            throw new IllegalArgumentException("progress of " + progress.id() + " is not of split " + plan.id());
        }
    }

    /** A split of which nothing is settled yet. */
    public static SplitState fresh(SplitPlan plan) {
        return new SplitState(plan, new SplitProgress(plan.id(), plan.start(), false));
    }
}
