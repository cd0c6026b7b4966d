package io.tidegate.testkit.net;

/** What passes a proxy in one direction, over all its connections. Guarded by the proxy's lock. */
final class Flow {
    static final long UNLIMITED = Long.MAX_VALUE;
    static final int LARGEST_CHUNK = 16 * 1024;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** A slow flow is cut in so many pieces a second, to be even. */
    private static final int CHUNKS_PER_SECOND = 50;

    boolean stalled;
    /** Writes under way. */
    int writing;

    long forwarded;

    private long bytesPerSecond = UNLIMITED;
    private long freeAtNanos = System.nanoTime();

    void setSpeed(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
        freeAtNanos = System.nanoTime();
    }

    /** How much may be read to be written at once. */
    int chunk() {
        return (int) Math.max(1, Math.min(LARGEST_CHUNK, bytesPerSecond / CHUNKS_PER_SECOND));
    }

    /** How long a write has to wait, unless something changes: for the ones before it to be through, or for ever. */
    long pauseNanos(long nowNanos) {
        if (stalled) {
            return Long.MAX_VALUE;
        }
        return bytesPerSecond == UNLIMITED ? 0 : freeAtNanos - nowNanos;
    }

    /** Counts a write that begins. */
    void enter(int bytes, long nowNanos) {
        writing++;
        forwarded += bytes;
        if (bytesPerSecond != UNLIMITED) {
            long start = freeAtNanos - nowNanos > 0 ? freeAtNanos : nowNanos;
            freeAtNanos = start + (long) (bytes * (double) NANOS_PER_SECOND / bytesPerSecond);
        }
    }
}
