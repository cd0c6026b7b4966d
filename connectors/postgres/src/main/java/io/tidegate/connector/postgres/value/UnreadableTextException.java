package io.tidegate.connector.postgres.value;

/** A text is not what its type prints. Never holds the text: it is a user's. */
public final class UnreadableTextException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * Says what is wrong.
     *
     * @param problem what is wrong, without the value
     */
    public UnreadableTextException(String problem) {
        super(problem, null, false, false);
    }
}
