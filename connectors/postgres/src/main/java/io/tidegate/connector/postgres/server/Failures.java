package io.tidegate.connector.postgres.server;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Which code an error of the server or the driver has on ordinary connections. */
public final class Failures {

    private static final String UNTRUSTED = "28000";

    private Failures() {}

    /** @param what was being done or used, in a few words */
    public static TidegateException of(SQLException e, String what) {
        return new TidegateException(code(e), what + ": " + message(e), e);
    }

    /** SQLSTATE, or nothing. */
    public static String state(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "";
    }

    private static ErrorCode code(SQLException e) {
        String state = state(e);
        if (find(e, SSLException.class) != null || tls(e)) {
            return ErrorCode.TLS;
        }
        if (find(e, IOException.class) != null) {
            return ErrorCode.SOURCE_UNAVAILABLE;
        }
        if (state.equals("28P01") || state.equals(UNTRUSTED)) {
            return ErrorCode.AUTHENTICATION;
        }
        if (state.startsWith("08") || state.startsWith("57P") || state.startsWith("53")) {
            return ErrorCode.SOURCE_UNAVAILABLE;
        }
        if (state.equals("42501")) {
            return ErrorCode.PERMISSION;
        }
        if (state.equals("3D000")) {
            return ErrorCode.PREFLIGHT;
        }
        if (state.equals("55006")) {
            return ErrorCode.SLOT_ACTIVE;
        }
        // Whatever else ends a session is tried again: a conflict, a lock, a cancelled statement, a table just dropped.
        return ErrorCode.SOURCE_UNAVAILABLE;
    }

    /** The driver reports what it itself finds wrong with TLS as a failed connection. */
    private static boolean tls(SQLException e) {
        String message = message(e).toLowerCase(Locale.ROOT);
        return e.getErrorCode() == 0
                && (message.contains("ssl") || message.contains("hostname") && message.contains("verif"))
                && (state(e).startsWith("08") || state(e).equals("99999") || state(e).isEmpty());
    }

    private static <T extends Throwable> @Nullable T find(Throwable e, Class<T> type) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }

    private static String message(SQLException e) {
        Throwable deepest = e;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        String text = String.valueOf(e.getMessage()).strip();
        String cause = String.valueOf(deepest.getMessage()).strip();
        String state = state(e);
        return text
                + (deepest == e || text.contains(cause) ? "" : " (" + cause + ")")
                + (state.isEmpty() ? "" : " [" + state + "]");
    }
}
