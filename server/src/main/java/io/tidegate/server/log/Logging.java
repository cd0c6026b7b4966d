package io.tidegate.server.log;

import java.io.PrintWriter;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Sets up the JDK's logging, behind {@link System.Logger}, for this process. */
public final class Logging {

    private Logging() {}

    /**
     * The loggers whose level was set; the JDK forgets a logger, and its level, that nobody holds. Libraries speak up from
     * warnings on only: at finer levels the driver writes what it sends. Apart, because the first logger settles which log
     * manager there is: {@link #prepare} comes before.
     */
    private static final class Loggers {
        private static final List<Logger> OURS = List.of(Logger.getLogger("io.tidegate"));
        private static final List<Logger> LIBRARIES = List.of(Logger.getLogger("org.postgresql"));
    }

    /** Before anything is logged: a log that goes on during the shutdown of the process. */
    public static void prepare() {
        System.setProperty("java.util.logging.manager", LastingLogManager.class.getName());
    }

    public static void configure(LogLevel level, LogFormat format, PrintWriter err) {
        Logger root = LogManager.getLogManager().getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        root.setLevel(Level.WARNING);
        Loggers.OURS.forEach(logger -> logger.setLevel(level.level()));
        Loggers.LIBRARIES.forEach(logger -> logger.setLevel(Level.WARNING));
        root.addHandler(new LineHandler(new LogLines(format, level == LogLevel.DEBUG), err));
    }

    /** Writes each record at once. */
    private static final class LineHandler extends Handler {

        private final LogLines lines;
        private final PrintWriter err;

        LineHandler(LogLines lines, PrintWriter err) {
            this.lines = lines;
            this.err = err;
        }

        @Override
        public void publish(LogRecord record) {
            if (isLoggable(record)) {
                err.write(lines.format(record));
                err.flush();
            }
        }

        @Override
        public void flush() {
            err.flush();
        }

        @Override
        public void close() {
            err.flush();
        }
    }
}
