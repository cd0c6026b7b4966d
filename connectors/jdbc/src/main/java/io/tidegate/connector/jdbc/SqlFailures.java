package io.tidegate.connector.jdbc;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.sql.SQLException;

/** What a database's errors mean. */
interface SqlFailures {

    /** What follows from an error. */
    enum Kind {
        /** The connection is good and the target refuses the row for good. */
        REFUSED,
        /** A right is missing. */
        PERMISSION,
        /** User or password are wrong. */
        AUTHENTICATION,
        TLS,
        /** The database does not exist, or cannot be written. */
        CONFIGURATION,
        /** Anything else: tried again. */
        FAILED
    }

    Kind kind(SQLException failure);

    /** Why a row is refused: state, constraint and column; never the server's message, which repeats values. */
    String reason(SQLException failure, TableName table);

    /** The error's text without values, for any other kind. */
    String message(SQLException failure);

    /** The failure that ends the session. */
    default TidegateException of(SQLException failure, String what) {
        ErrorCode code = switch (kind(failure)) {
            case PERMISSION -> ErrorCode.PERMISSION;
            case AUTHENTICATION -> ErrorCode.AUTHENTICATION;
            case TLS -> ErrorCode.TLS;
            case CONFIGURATION -> ErrorCode.CONFIG_INVALID;
            case REFUSED, FAILED -> ErrorCode.SINK_FAILED;
        };
        String text = what + ": " + message(failure);
        // the driver's exception may quote values: it is not kept as the cause where the server spoke
        return new TidegateException(code, text, advice(code), null);
    }

    private static String advice(ErrorCode code) {
        return switch (code) {
            case PERMISSION -> "Grant the right that is missing. 'tidegate check FILE' names those it can see.";
            case AUTHENTICATION ->
                "Check user and password of the sink's URL, and the server's rules for who may log in.";
            default -> code.advice();
        };
    }
}
