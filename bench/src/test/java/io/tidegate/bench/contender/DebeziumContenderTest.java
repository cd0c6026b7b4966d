package io.tidegate.bench.contender;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidegate.bench.process.Arguments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DebeziumContenderTest {

    @TempDir
    private Path folder;

    @Test
    void readsTheLogFromTheSlotThatIsThere() throws IOException {
        Properties settings = settings("mode=stream", "slot=s", "publication=p");
        assertEquals("no_data", settings.getProperty("snapshot.mode"));
        assertEquals("s", settings.getProperty("slot.name"));
        assertEquals("p", settings.getProperty("publication.name"));
        assertEquals("public\\.t", settings.getProperty("table.include.list"));
        assertNull(settings.getProperty("poll.interval.ms"));
    }

    @Test
    void readsTheRowsWithoutASlot() throws IOException {
        Properties settings = settings("mode=snapshot");
        assertEquals("initial_only", settings.getProperty("snapshot.mode"));
        assertNull(settings.getProperty("slot.name"));
    }

    @Test
    void givesDebeziumEachSettingThatIsMeantForIt() throws IOException {
        Properties settings = settings(
                "mode=snapshot", "poll=1", "debezium.snapshot.max.threads=2", "debezium.errors.max.retries=-1");
        assertEquals("1", settings.getProperty("poll.interval.ms"));
        assertEquals("2", settings.getProperty("snapshot.max.threads"));
        assertEquals("-1", settings.getProperty("errors.max.retries"));
    }

    @Test
    void refusesAModeThatItDoesNotKnow() {
        assertThrows(IllegalArgumentException.class, () -> settings("mode=both"));
    }

    private Properties settings(String... more) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("host=127.0.0.1", "port=5432", "database=d", "user=u", "table=public.t", "folder=" + folder));
        words.addAll(List.of(more));
        return DebeziumContender.settings(Arguments.of(words.toArray(new String[0])));
    }
}
