package io.tidegate.connector.postgres.wire;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * The one map from what server, driver and socket report to our codes. It goes by SQLSTATE, because the text follows
 * the server's {@code lc_messages}; only internal errors, which are never translated, are told apart by their text.
 */
public final class PgErrors {

    private static final String DRIVER_REJECTED = "08004";
    private static final String DRIVER_FAILED = "08006";

    /** What was being done, which decides what some of the states mean. */
    public enum Doing {
        /** Connecting, or asking the catalogue. */
        ASKING,
        /** Starting or reading the log, where a missing object means that changes are gone (rule 3). */
        STREAMING
    }

    private PgErrors() {}

    /**
     * What the server reported.
     *
     * @param what what failed, such as "connecting to db1:5432/shop"
     */
    public static TidegateException of(ServerReport report, Doing doing, String what) {
        return new TidegateException(code(report.sqlState(), report.message(), doing), what + ": " + report.describe());
    }

    /**
     * What the driver reported, for the server or for itself.
     *
     * @param what what failed, such as "connecting to db1:5432/shop"
     */
    public static TidegateException of(SQLException failure, Doing doing, String what) {
        String state = String.valueOf(failure.getSQLState());
        ServerErrorMessage server = failure instanceof PSQLException p ? p.getServerErrorMessage() : null;
        if (server != null) {
            String message = String.valueOf(server.getMessage());
            return new TidegateException(
                    code(state, message, doing), what + ": " + message + " (SQLSTATE " + state + ")", failure);
        }
        return new TidegateException(driverCode(failure, state), what + ": " + reasons(failure), failure);
    }

    /** The driver's messages from the outermost on: the inner ones name the file, the certificate or the address. */
    private static String reasons(Throwable failure) {
        StringBuilder reasons = new StringBuilder(String.valueOf(failure.getMessage()));
        for (@Nullable Throwable t = failure.getCause(); t != null; t = t.getCause()) {
            String reason = t.getMessage();
            if (reason != null && reasons.indexOf(reason) < 0) {
                reasons.append(": ").append(reason);
            }
        }
        return reasons.toString();
    }

    /**
     * What the socket reported.
     *
     * @param what what failed, such as "reading the log"
     */
    public static TidegateException of(IOException failure, String what) {
        ErrorCode code = tls(failure) ? ErrorCode.TLS : ErrorCode.SOURCE_UNAVAILABLE;
        String reason = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        return new TidegateException(code, what + ": " + reason, failure);
    }

    private static ErrorCode code(String state, String message, Doing doing) {
        if (state.startsWith("28")) {
            return ErrorCode.AUTHENTICATION;
        }
        boolean streaming = doing == Doing.STREAMING;
        return switch (state) {
            case "42501" -> ErrorCode.PERMISSION;
            case "55006" -> ErrorCode.SLOT_ACTIVE;
            case "3D000" -> ErrorCode.CONFIG_INVALID;
            // a text that is not valid in the database's encoding, or has no counterpart in UTF-8: it stays so
            case "22021", "22P05" -> ErrorCode.VALUE_UNREADABLE;
            case "42704" -> streaming ? ErrorCode.POSITION_LOST : ErrorCode.PREFLIGHT;
            // a slot that was invalidated, but as well a server that is in recovery: the next start asks for the slot's
            // state
            case "55000" -> streaming ? ErrorCode.SOURCE_UNAVAILABLE : ErrorCode.PREFLIGHT;
            case "54000" -> streaming ? ErrorCode.SERVER_ROW_TOO_LARGE : ErrorCode.SOURCE_UNAVAILABLE;
            case "XX000" ->
                streaming && message.contains("invalid memory alloc request size")
                        ? ErrorCode.SERVER_ROW_TOO_LARGE
                        : ErrorCode.SOURCE_UNAVAILABLE;
            default ->
                state.startsWith("42") || state.startsWith("0A") ? ErrorCode.PREFLIGHT : ErrorCode.SOURCE_UNAVAILABLE;
        };
    }

    /** The driver gives states of its own to what the server never saw. */
    private static ErrorCode driverCode(SQLException failure, String state) {
        if (state.equals(DRIVER_REJECTED)) {
            // "SSL" stands in each translation; the other refusal is an unknown way to authenticate
            return String.valueOf(failure.getMessage()).contains("SSL") ? ErrorCode.TLS : ErrorCode.AUTHENTICATION;
        }
        if (state.startsWith("28")) {
            return ErrorCode.AUTHENTICATION;
        }
        // what the driver finds wrong by itself, a host name, a key's permissions, fails as a broken connection does
        boolean ownFinding = state.equals(DRIVER_FAILED) && !ofTheSocket(failure);
        return ownFinding || tls(failure) ? ErrorCode.TLS : ErrorCode.SOURCE_UNAVAILABLE;
    }

    private static boolean ofTheSocket(Throwable failure) {
        for (@Nullable Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof IOException) {
                return true;
            }
        }
        return false;
    }

    private static boolean tls(Throwable failure) {
        boolean tls = false;
        for (@Nullable Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SocketException || t instanceof EOFException) {
                return false; // the connection broke while it was encrypted; that says nothing about certificates
            }
            tls |= t instanceof SSLException
                    || t instanceof GeneralSecurityException
                    || t instanceof FileNotFoundException
                    || t instanceof NoSuchFileException;
        }
        return tls;
    }
}
