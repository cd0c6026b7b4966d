package io.tidegate.connector.postgres.wire;

/**
 * An error or notice of the server (protocol: ErrorResponse, NoticeResponse). Detail and context are left out, since
 * they can hold values of rows.
 *
 * @param severity not localised: {@code ERROR}, {@code FATAL}, {@code WARNING}
 * @param sqlState five characters, which do not depend on the server's language
 */
public record ServerReport(String severity, String sqlState, String message, String hint) {

    /** For people. */
    public String describe() {
        return message + " (SQLSTATE " + sqlState + ")" + (hint.isEmpty() ? "" : ", " + hint);
    }
}
