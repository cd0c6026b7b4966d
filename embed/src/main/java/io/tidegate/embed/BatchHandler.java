package io.tidegate.embed;

import java.util.List;

/** Takes consecutive changes together, as for one transaction of another database. Called by the pipeline's sink thread only. */
@FunctionalInterface
public interface BatchHandler {

    /**
     * When it returns, all of the batch counts as durable. Whatever it throws means that nothing of it is, and all of it comes
     * again.
     *
     * @param changes at least one, in order
     * @throws io.tidegate.spi.RejectedException made by {@link DeliveredChange#rejected}, as in {@link ChangeHandler#handle}
     * @throws Exception a failure, as in {@link ChangeHandler#handle}
     */
    void handle(List<DeliveredChange> changes) throws Exception;
}
