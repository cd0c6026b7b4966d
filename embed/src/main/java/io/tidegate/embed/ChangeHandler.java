package io.tidegate.embed;

/** Takes one change after the other, in order. Called by the pipeline's sink thread only. */
@FunctionalInterface
public interface ChangeHandler {

    /**
     * When it returns, the change counts as durable: after a crash it may not come again. Whatever it throws means that the
     * change is not.
     *
     * @throws io.tidegate.spi.RejectedException made by {@link DeliveredChange#rejected}: the change is refused for good, and
     *     the pipeline's policy says what follows
     * @throws Exception a failure: the session ends, and what was not durable is delivered again after a wait
     */
    void handle(DeliveredChange change) throws Exception;
}
