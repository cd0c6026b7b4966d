package io.tidegate.server.log;

import java.util.logging.Level;

/** What is logged: this and everything more severe. */
public enum LogLevel {
    ERROR(Level.SEVERE),
    WARN(Level.WARNING),
    INFO(Level.INFO),
    DEBUG(Level.FINE);

    private final Level level;

    LogLevel(Level level) {
        this.level = level;
    }

    Level level() {
        return level;
    }

    static LogLevel of(Level level) {
        for (LogLevel candidate : values()) {
            if (level.intValue() >= candidate.level.intValue()) {
                return candidate;
            }
        }
        return DEBUG;
    }
}
