package io.tidegate.server.log;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.spi.TidegateException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/** Makes one line of each record, with the causes of an exception but, unless told, not its stack. */
final class LogLines extends Formatter {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private static final int CAUSES_MAX = 10;

    private final LogFormat format;
    private final boolean stacks;
    private final JsonMapper json = new JsonMapper();

    LogLines(LogFormat format, boolean stacks) {
        this.format = format;
        this.stacks = stacks;
    }

    @Override
    public String format(LogRecord record) {
        return switch (format) {
            case TEXT -> text(record);
            case JSON -> json(record);
        };
    }

    private String text(LogRecord record) {
        StringBuilder line = new StringBuilder();
        line.append(TIME.format(record.getInstant())).append(' ');
        line.append(String.format(Locale.ROOT, "%-5s", LogLevel.of(record.getLevel())))
                .append(' ');
        line.append(shortName(record)).append(": ").append(oneLine(formatMessage(record)));
        Throwable thrown = record.getThrown();
        if (thrown != null) {
            line.append(": ").append(oneLine(causes(thrown)));
        }
        line.append('\n');
        if (thrown != null && stacks) {
            line.append(stack(thrown));
        }
        return line.toString();
    }

    private String json(LogRecord record) {
        ObjectNode line = json.createObjectNode();
        line.put("time", TIME.format(record.getInstant()));
        line.put("level", LogLevel.of(record.getLevel()).toString().toLowerCase(Locale.ROOT));
        line.put("logger", record.getLoggerName());
        line.put("message", formatMessage(record));
        Throwable thrown = record.getThrown();
        if (thrown != null) {
            line.put("error", causes(thrown));
            if (thrown instanceof TidegateException failure) {
                line.put("code", failure.code().code());
            }
            if (stacks) {
                line.put("stack", stack(thrown));
            }
        }
        return line + "\n";
    }

    private static String shortName(LogRecord record) {
        String name = String.valueOf(record.getLoggerName());
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String causes(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        Throwable cause = thrown;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
            text.append(i == 0 ? "" : "; caused by ");
            text.append(cause instanceof TidegateException failure ? failure.describe() : cause.toString());
            cause = cause.getCause();
        }
        return text.toString();
    }

    private static String stack(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static String oneLine(String text) {
        return text.replace("\r", "\\r").replace("\n", "\\n");
    }
}
