package io.tidegate.bench.contender;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.bench.process.ChildReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReceiverTest {

    private static byte[] line(int id) {
        return ("{\"id\":" + id + "}").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void isCompleteWithTheLastExpectedChange() throws InterruptedException {
        Receiver receiver = new Receiver(new ChildReport(), 2, "\"id\":2");
        receiver.take(line(1), 0, line(1).length);
        assertThat(receiver.await(Duration.ZERO)).isFalse();
        receiver.take(new String(line(2), StandardCharsets.UTF_8));
        assertThat(receiver.await(Duration.ZERO)).isTrue();
    }

    @Test
    void saysThatTheLastChangeIsNotTheOneThatWasExpected() {
        ChildReport report = new ChildReport();
        Receiver receiver = new Receiver(report, 1, "\"id\":2");
        receiver.take(line(1), 0, line(1).length);
        receiver.report();
        assertThat(report.figure("count")).isEqualTo(1);
        assertThat(report.figure("right")).isZero();
    }
}
