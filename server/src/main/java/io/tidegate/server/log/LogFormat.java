package io.tidegate.server.log;

/** How a log record is written. */
public enum LogFormat {
    /** For people. */
    TEXT,
    /** One JSON object a line. */
    JSON
}
