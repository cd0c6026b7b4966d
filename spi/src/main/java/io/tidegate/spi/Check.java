package io.tidegate.spi;

/** Checks of what the code relies on, in production too. */
public final class Check {

    private Check() {}

    /**
     * Throws if the condition does not hold.
     *
     * @param what names the invariant, such as "I2: ..."
     * @throws TidegateException {@link ErrorCode#INTERNAL}: the pipeline halts
     */
    public static void invariant(boolean condition, String what) {
        if (!condition) {
            throw new TidegateException(ErrorCode.INTERNAL, what);
        }
    }
}
