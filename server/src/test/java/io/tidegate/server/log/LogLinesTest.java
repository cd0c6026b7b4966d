package io.tidegate.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogLinesTest {

    private static LogRecord record() {
        LogRecord record = new LogRecord(Level.WARNING, "two\nlines of {0}");
        record.setParameters(new Object[] {"x"});
        record.setLoggerName("io.tidegate.engine.Pipeline");
        record.setInstant(Instant.parse("2026-01-02T03:04:05.678Z"));
        record.setThrown(new TidegateException(ErrorCode.SINK_FAILED, "full", new IllegalStateException("disk")));
        return record;
    }

    @Test
    void aRecordIsOneLineWithItsCausesAndNoStack() {
        assertThat(new LogLines(LogFormat.TEXT, false).format(record()))
                .isEqualTo(
                        "2026-01-02T03:04:05.678Z WARN  Pipeline: two\\nlines of x: TG-SINK-FAILED: full. It is tried"
                                + " again.; caused by java.lang.IllegalStateException: disk\n");
    }

    @Test
    void asJsonARecordIsOneObjectOnOneLineWithItsCode() {
        assertThat(new LogLines(LogFormat.JSON, false).format(record()))
                .isEqualTo("{\"time\":\"2026-01-02T03:04:05.678Z\",\"level\":\"warn\",\"logger\":\"io.tidegate.engine"
                        + ".Pipeline\",\"message\":\"two\\nlines of x\",\"error\":\"TG-SINK-FAILED: full. It is tried"
                        + " again.; caused by java.lang.IllegalStateException: disk\",\"code\":\"TG-SINK-FAILED\"}\n");
    }

    @Test
    void theStackIsThereWhenItIsAskedFor() {
        assertThat(new LogLines(LogFormat.TEXT, true).format(record())).contains("\tat ");
    }
}
