package io.tidegate.engine.env;

/** Time. Any thread. */
public interface Clock {

    /** Monotone nanoseconds from an arbitrary origin, for waits and limits. */
    long nanoTime();

    /** Milliseconds since 1970-01-01T00:00:00Z, for people and for the age of changes. */
    long epochMillis();

    /** The clock of this machine. */
    static Clock system() {
        return new Clock() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public long epochMillis() {
                return System.currentTimeMillis();
            }
        };
    }
}
