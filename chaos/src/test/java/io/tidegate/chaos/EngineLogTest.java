package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineLogTest {

    private static final String TIME = "2026-11-30T07:20:20.809Z ";

    @Test
    void findsNothingInALogThatAPersonCanUse() {
        assertThat(EngineLog.faults(TIME + "INFO  StatusLog: p: running, 0 of 1 splits done\n"
                        + TIME + "WARN  Pipeline: p: TG-SOURCE-UNAVAILABLE: no connection. Next attempt in 20 ms.\n"
                        + TIME + "WARN  StatusLog: p: stalled: the store's write has not returned (for 30 s)\n"
                        + TIME + "ERROR PipelineGroup: pipeline p stopped: TG-STATE-DAMAGED: it is damaged\n"
                        + "TG-STATE-DAMAGED: it is damaged\nTake the file before it.\n"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                TIME + "ERROR Pipeline: p: something went wrong",
                TIME + "WARN  Pipeline: p: java.io.EOFException",
                TIME + "WARN  Pipeline: p: TG-INTERNAL: I2: a position went back. Next attempt in 20 ms.",
                "Exception in thread \"main\" java.lang.NullPointerException",
                "TG-STATE-DAMAGED: it is damaged\n\tat io.tidegate.server.Tidegate.main(Tidegate.java:33)"
            })
    void findsALineThatTellsAPersonNothing(String line) {
        assertThat(EngineLog.faults(TIME + "INFO  StatusLog: p: running, 0 of 1 splits done\n" + line + "\n"))
                .hasSize(1);
    }
}
