package io.tidegate.engine.gate;

/**
 * What a gate keeps to. Times are in the unit of the {@code now} that it is given.
 *
 * @param batchesMax batches from each split's oldest unsettled one on, over all splits (I15)
 * @param bytesMax bytes of unsettled batches
 * @param changesPerWrite settled changes that make a write due before its interval has passed
 * @param writeInterval time after which progress is written
 * @param writeSpacing time from one write to the next at least, but for a stop; what waits for it is one write then
 * @param retryMin first wait after a failed write; doubled each time
 * @param retryMax longest wait after a failed write
 * @param stopTimeout time that a graceful stop may take (I12)
 */
public record GateLimits(
        int batchesMax,
        long bytesMax,
        long changesPerWrite,
        long writeInterval,
        long writeSpacing,
        long retryMin,
        long retryMax,
        long stopTimeout) {

    public GateLimits {
        if (batchesMax < 1 || bytesMax < 1 || changesPerWrite < 1 || writeInterval < 0 || writeSpacing < 0) {
            throw new IllegalArgumentException("limits must be positive");
        }
        if (retryMin < 1 || retryMax < retryMin || stopTimeout < 0) {
            throw new IllegalArgumentException("waits must be positive and in order");
        }
    }
}
