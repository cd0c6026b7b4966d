package io.tidegate.connector.postgres.wire;

import java.nio.charset.StandardCharsets;

/** Reads ErrorResponse and NoticeResponse bodies. */
final class Reports {

    private Reports() {}

    static ServerReport parse(byte[] body, int from, int length) {
        String severity = "";
        String localSeverity = "";
        String state = "";
        String message = "";
        String hint = "";
        int at = from;
        int end = from + length;
        while (at < end && body[at] != 0) {
            byte field = body[at++];
            int start = at;
            while (at < end && body[at] != 0) {
                at++;
            }
            String text = new String(body, start, at - start, StandardCharsets.UTF_8);
            at++;
            switch (field) {
                case 'V' -> severity = text;
                case 'S' -> localSeverity = text;
                case 'C' -> state = text;
                case 'M' -> message = text;
                case 'H' -> hint = text;
                default -> {
                    // file, line and the like; detail and context can hold values
                }
            }
        }
        return new ServerReport(severity.isEmpty() ? localSeverity : severity, state, message, hint);
    }
}
