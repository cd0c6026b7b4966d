package io.tidegate.connector.jdbc;

import java.io.EOFException;
import java.net.SocketException;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** PostgreSQL's errors, told apart by SQLSTATE (documentation, appendix "PostgreSQL Error Codes"). */
final class PostgresFailures implements SqlFailures {

    /**
     * Of what the server says no to for good. 21: two rows of a statement are one; 22, 23: data and constraints; 44: a view's
     * check; 54: a row or an index entry is too large; 0A: a truncate of a table that a foreign key names; P0: a trigger.
     */
    private static final Set<String> REFUSING_CLASSES = Set.of("0A", "21", "22", "23", "44", "54", "P0");

    /** 428C9: a column that the server computes; 55000: a published table without identity. */
    private static final Set<String> REFUSING_STATES = Set.of("428C9", "55000");

    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("23502", "a column that must not be null is null"),
            Map.entry("23503", "a foreign key is violated"),
            Map.entry("23505", "a unique constraint is violated"),
            Map.entry("23514", "a check constraint is violated"),
            Map.entry("23P01", "an exclusion constraint is violated"),
            Map.entry("22001", "a text is too long"),
            Map.entry("22003", "a number is out of range"),
            Map.entry("22007", "a date or time is not one of the target's calendar"),
            Map.entry("22008", "a date or time is out of range"),
            Map.entry("22P02", "a text is not a value of the column's type"),
            Map.entry("22P05", "a character cannot be stored in this type or encoding"),
            Map.entry("54000", "a row or index entry is too large for the target"));

    /** States whose message never repeats a value. */
    private static boolean plain(String state) {
        return !state.startsWith("21") && !state.startsWith("22") && !state.startsWith("23") && !state.startsWith("P0");
    }

    private static @Nullable ServerErrorMessage server(SQLException failure) {
        return failure instanceof PSQLException p ? p.getServerErrorMessage() : null;
    }

    @Override
    public Kind kind(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        if (server(failure) == null) {
            if (state.startsWith("28")
                    || (state.equals("08004")
                            && !String.valueOf(failure.getMessage()).contains("SSL"))) {
                return Kind.AUTHENTICATION;
            }
            return state.equals("08004") || tls(failure) ? Kind.TLS : Kind.FAILED;
        }
        if (REFUSING_STATES.contains(state) || REFUSING_CLASSES.contains(state.substring(0, 2))) {
            return Kind.REFUSED;
        }
        if (state.startsWith("28")) {
            return Kind.AUTHENTICATION;
        }
        return switch (state) {
            case "42501" -> Kind.PERMISSION;
            case "3D000" -> Kind.CONFIGURATION;
            default -> Kind.FAILED;
        };
    }

    private static boolean tls(Throwable failure) {
        boolean tls = false;
        for (@Nullable Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SocketException || t instanceof EOFException) {
                return false; // the connection broke while it was encrypted
            }
            tls |= t instanceof SSLException || t instanceof GeneralSecurityException;
        }
        return tls;
    }

    @Override
    public String reason(SQLException failure, TableName table) {
        String state = String.valueOf(failure.getSQLState());
        ServerErrorMessage server = server(failure);
        StringBuilder reason = new StringBuilder("the table " + table.display() + " does not take it: ");
        if (server != null && plain(state) && !WORDS.containsKey(state)) {
            reason.append(server.getMessage());
        } else {
            reason.append(WORDS.getOrDefault(
                    state, state.startsWith("P0") ? "a trigger refuses it" : "the server refuses it"));
        }
        if (server != null) {
            append(reason, "constraint", server.getConstraint());
            append(reason, "column", server.getColumn());
        }
        return reason.append(" (SQLSTATE ").append(state).append(')').toString();
    }

    private static void append(StringBuilder reason, String what, @Nullable String name) {
        if (name != null) {
            reason.append(", ").append(what).append(' ').append(name);
        }
    }

    @Override
    public String message(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        ServerErrorMessage server = server(failure);
        if (server == null) {
            StringBuilder reasons = new StringBuilder(String.valueOf(failure.getMessage()));
            for (@Nullable Throwable t = failure.getCause(); t != null; t = t.getCause()) {
                String reason = t.getMessage();
                if (reason != null && reasons.indexOf(reason) < 0) {
                    reasons.append(": ").append(reason);
                }
            }
            return reasons.toString();
        }
        String text = plain(state) ? String.valueOf(server.getMessage()) : WORDS.getOrDefault(state, "refused");
        return text + " (SQLSTATE " + state + ")";
    }
}
