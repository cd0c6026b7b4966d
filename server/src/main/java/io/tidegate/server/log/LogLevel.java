package io.tidegate.server.log;

import java.util.logging.Level;

/** What is logged: this and everything more severe. */
public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG;

    /** What the JDK calls it. */
    Level level() {
        return switch (this) {
            case ERROR -> Level.SEVERE;
            case WARN -> Level.WARNING;
            case INFO -> Level.INFO;
            case DEBUG -> Level.FINE;
        };
    }

    static LogLevel of(Level level) {
        for (LogLevel candidate : values()) {
            if (level.intValue() >= candidate.level().intValue()) {
                return candidate;
            }
        }
        return DEBUG;
    }
}
