package io.tidegate.testkit.property;

/** A run that failed: the choices it made, and what it threw. */
record Failure(LongSequence record, Throwable thrown) {
    /** Whether something else that was thrown is the same failure, as far as its class tells. */
    boolean isLike(Throwable other) {
        return thrown.getClass() == other.getClass();
    }
}
