package io.tidegate.server.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.store.StateStore;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HoldTest {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** That it holds is said as INFO, and meant. */
    private static final Logger QUIET = Logger.getLogger(Hold.class.getName());

    @BeforeAll
    static void quiet() {
        QUIET.setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        QUIET.setLevel(null);
    }

    @TempDir
    Path folder;

    @Test
    void keepsAThreadFromTheNthTimeOnWhateverInterruptsIt() {
        Hold hold = Hold.parse("settling:5/9");
        AtomicInteger passed = new AtomicInteger();
        Thread thread = started(() -> {
            for (int i = 0; i < 9; i++) {
                hold.pass(HoldPoint.SETTLING, 2);
                passed.incrementAndGet();
            }
        });
        awaitParked(thread);
        assertThat(passed).as("2 and 4 are below 5, 6 is not").hasValue(2);
        for (int i = 0; i < 3; i++) {
            thread.interrupt();
            Await.until("the interrupt to be taken", LIMIT, () -> !thread.isInterrupted());
            awaitParked(thread);
        }
        assertThat(passed).hasValue(2);

        Thread other = started(() -> {
            hold.pass(HoldPoint.SETTLING, 1);
            passed.incrementAndGet();
        });
        awaitParked(other);
        assertThat(passed).as("nobody passes later either").hasValue(2);
        hold.pass(HoldPoint.ACKNOWLEDGING, 100); // another point is passed as ever
    }

    @Test
    void leavesHalfOfAWriteInTheFile() throws IOException {
        Path path = folder.resolve("state");
        Disk disk = Hold.parse("writing:3/6").disk(new RealDisk());
        Thread thread = started(() -> {
            try (Disk.File file = disk.open(path, Disk.Mode.CREATE)) {
                file.write(0, ByteBuffer.wrap("first,".getBytes(StandardCharsets.UTF_8)));
                file.write(6, ByteBuffer.wrap("second".getBytes(StandardCharsets.UTF_8)));
                file.write(12, ByteBuffer.wrap("third".getBytes(StandardCharsets.UTF_8)));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        awaitParked(thread);
        assertThat(path).hasContent("first,sec");
        assertThat(Files.size(path)).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "settling",
                "settling:1",
                "settling:0/5",
                "settling:5/5",
                "settling:6/5",
                "settling:-1/5",
                "settling:1/5 ",
                "settling:1/9999999999",
                "Settling:1/5",
                "delivered:1/5"
            })
    void refusesWhatWouldNeverHold(String text) {
        assertThatThrownBy(() -> Hold.parse(text)).isInstanceOfSatisfying(TidegateException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_INVALID);
            assertThat(e).hasMessageContaining("-Dtidegate.test.hold=" + text);
            assertThat(e.advice()).contains("prepared, recorded, writing, settling, acknowledging");
        });
    }

    @Test
    void knowsEachPointByItsName() {
        for (HoldPoint point : HoldPoint.values()) {
            Hold hold = Hold.parse(point.name().toLowerCase(Locale.ROOT) + ":1/2");
            awaitParked(started(() -> hold.pass(point, 1)));
        }
    }

    /** A default of an interface that is not passed on would change what a held process does. */
    @Test
    void passesEveryCallOn() throws ReflectiveOperationException {
        Map<Class<?>, String> wrapped = Map.of(
                Source.class, "HeldSource",
                SourceSession.class, "HeldSource$HeldSession",
                SplitReader.class, "HeldSource$HeldReader",
                Sink.class, "HeldSink",
                SinkContext.class, "HeldSink$HeldContext",
                StateStore.class, "HeldStore",
                Disk.class, "HeldDisk",
                Disk.File.class, "HeldDisk$HeldFile");
        for (Map.Entry<Class<?>, String> entry : wrapped.entrySet()) {
            Class<?> wrapper = Class.forName("io.tidegate.server.hold." + entry.getValue());
            for (Method method : entry.getKey().getMethods()) {
                if (!Modifier.isStatic(method.getModifiers())) {
                    assertThat(Arrays.stream(wrapper.getDeclaredMethods())
                                    .filter(own -> own.getName().equals(method.getName()))
                                    .map(own -> List.of(own.getParameterTypes())))
                            .as(entry.getValue() + "." + method.getName())
                            .contains(List.of(method.getParameterTypes()));
                }
            }
        }
    }

    private static Thread started(Runnable work) {
        Thread thread = new Thread(work, "held");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void awaitParked(Thread thread) {
        Await.until("the thread to be held", LIMIT, () -> {
            if (!thread.isAlive()) {
                throw new AssertionError("it has passed");
            }
            return thread.getState() == Thread.State.WAITING;
        });
    }
}
