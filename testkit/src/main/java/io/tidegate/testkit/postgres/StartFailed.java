package io.tidegate.testkit.postgres;

import java.util.List;

/** A server did not start; the message holds the end of its log. */
final class StartFailed extends IllegalStateException {
    private static final int LINES_SHOWN = 40;

    StartFailed(String message, String log) {
        super(message + ". The end of its log:\n" + end(log));
    }

    private static String end(String log) {
        List<String> lines = log.lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
    }
}
