package io.tidegate.spi;

import java.util.List;

/** One configured source. Immutable, without connections; lives as long as its pipeline. */
public interface Source {

    Positions positions();

    /** The kind of database whose names {@link Column#nativeType} has, such as {@code postgres}. */
    String system();

    /** Whether it reads from this very database. May connect to find out. */
    default boolean readsFrom(Place place) {
        return false;
    }

    /** Whether it captures a table of this name, or would if there were one. Connects to nothing. */
    default boolean captures(String namespace, String table) {
        return false;
    }

    /** The whole preflight: each finding names its object and the statement that mends it. Changes nothing. */
    List<Finding> check(Checkpoint durable);

    /**
     * Connects. A session is one attempt at reading: when anything fails, it is closed and the next one starts from what
     * the store holds. Opening with a checkpoint acknowledges all of it (I9).
     */
    SourceSession open(SourceContext context) throws InterruptedException;

    /**
     * The write that has some tables read again, from their beginning, when the pipeline starts next. Connects to nothing.
     *
     * @param tables names or patterns, as in the source's configuration
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID} if one of them selects no captured table
     */
    default Replan resnapshot(Checkpoint durable, List<String> tables) {
        throw new TidegateException(
                ErrorCode.CONFIG_INVALID, "a source of " + system() + " cannot read single tables again");
    }

    /** What {@code remove} would drop in the user's database, because this pipeline made it. */
    Removal removal(Checkpoint durable);

    /** Things of ours in the user's database. */
    interface Removal extends AutoCloseable {
        /** One line for each thing, with the statement that drops it; empty if nothing is left. */
        List<String> describe();

        void execute();

        @Override
        void close();
    }
}
