package io.tidegate.connector.jdbc;

import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** MariaDB's errors, told apart by their numbers (documentation, "MariaDB Error Codes"). */
final class MariaFailures implements SqlFailures {

    private static final Map<Integer, String> REFUSING = Map.ofEntries(
            Map.entry(1048, "a column that must not be null is null"),
            Map.entry(1062, "a unique constraint is violated"),
            Map.entry(1118, "the row is too large for the target"),
            Map.entry(PacketLimit.CODE, "the row is larger than max_allowed_packet"),
            Map.entry(1264, "a number is out of range"),
            Map.entry(1265, "a value does not fit its column"),
            Map.entry(1292, "a date or time is not one that the column can hold"),
            Map.entry(1364, "a column without default gets no value"),
            Map.entry(1366, "a text is not a value of the column's type or character set"),
            Map.entry(1367, "a number is not one that the column can hold"),
            Map.entry(1406, "a text is too long"),
            Map.entry(1451, "a foreign key of another table names the row"),
            Map.entry(1452, "a foreign key is violated"),
            Map.entry(1644, "a trigger refuses it"),
            Map.entry(1690, "a number is out of range"),
            Map.entry(4025, "a check constraint is violated"));

    private static final Set<Integer> PERMISSION = Set.of(1044, 1142, 1143, 1227, 1370);
    private static final Set<Integer> AUTHENTICATION = Set.of(1045, 1698);
    private static final int NO_DATABASE = 1049;

    /** Where the message names a constraint or a column; all else of it can be a value. */
    private static final Pattern NAME = Pattern.compile(
            "for key '([^']+)'$|CONSTRAINT `([^`]+)`|[Cc]olumn '([^']+)'|column `[^`]+`\\.`[^`]+`\\.`([^`]+)`");

    @Override
    public Kind kind(SQLException failure) {
        int code = failure.getErrorCode();
        String state = String.valueOf(failure.getSQLState());
        if (REFUSING.containsKey(code) || state.startsWith("22") || state.startsWith("23") || state.equals("45000")) {
            return Kind.REFUSED;
        }
        if (String.valueOf(failure.getMessage()).contains("max_allowed_packet")) {
            return Kind.REFUSED;
        }
        if (PERMISSION.contains(code)) {
            return Kind.PERMISSION;
        }
        if (AUTHENTICATION.contains(code)) {
            return Kind.AUTHENTICATION;
        }
        if (code == NO_DATABASE) {
            return Kind.CONFIGURATION;
        }
        for (@Nullable Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SSLException) {
                return Kind.TLS;
            }
        }
        return Kind.FAILED;
    }

    @Override
    public String reason(SQLException failure, TableName table) {
        String reason = "the table " + table.display() + " does not take it: "
                + REFUSING.getOrDefault(failure.getErrorCode(), "the server refuses it");
        if (failure instanceof PacketLimit.Exceeded) {
            return reason + " (" + failure.getMessage() + ")";
        }
        Matcher name = NAME.matcher(String.valueOf(failure.getMessage()));
        if (name.find()) {
            for (int i = 1; i <= name.groupCount(); i++) {
                if (name.group(i) != null) {
                    reason += ", " + (i <= 2 ? "constraint " : "column ") + name.group(i);
                }
            }
        }
        return reason + " (error " + failure.getErrorCode() + ", SQLSTATE " + failure.getSQLState() + ")";
    }

    @Override
    public String message(SQLException failure) {
        return kind(failure) == Kind.REFUSED
                ? REFUSING.getOrDefault(failure.getErrorCode(), "refused") + " (error " + failure.getErrorCode() + ")"
                : String.valueOf(failure.getMessage());
    }
}
