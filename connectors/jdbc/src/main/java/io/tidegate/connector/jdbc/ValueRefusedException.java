package io.tidegate.connector.jdbc;

/** A value that the target's column cannot hold as it is. The message says why, without the value. */
final class ValueRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ValueRefusedException(String reason) {
        super(reason, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
