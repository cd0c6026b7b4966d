package io.tidegate.spi;

/** What a source answers when it is asked whether it is ready to be read. */
public sealed interface Preparation {

    /** Not yet: make this durable, then ask again. What the source does next depends on it (I17). */
    record Write(Replan step) implements Preparation {}

    /**
     * The splits of the checkpoint can be read.
     *
     * @param bounded the pipeline is complete when all of them are done
     * @param readersMax how many splits may be read at once
     */
    record Ready(boolean bounded, int readersMax) implements Preparation {}
}
