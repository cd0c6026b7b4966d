package io.tidegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.server.FakeConnectors;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.hold.Hold;
import io.tidegate.spi.Disk;
import io.tidegate.spi.Secret;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeldStarterTest {

    /** The error of a pipeline that does not start is meant. */
    private static final Logger QUIET = Logger.getLogger(PipelineGroup.class.getName());

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

    private final List<ConfiguredPipeline> started = new ArrayList<>();
    private final List<Disk> disks = new ArrayList<>();
    private final List<Object> stores = new ArrayList<>();
    private final PipelineStarter inner = (pipeline, disk, store) -> {
        started.add(pipeline);
        disks.add(disk);
        try (var opened = store.apply(disk)) {
            stores.add(opened);
        }
        return new Ended();
    };

    @Test
    void isNotThereUnlessItIsAskedFor() throws IOException {
        assertThat(System.getProperty(Hold.PROPERTY)).isNull();
        assertThat(HeldStarter.around(inner, null)).isSameAs(inner);

        RealDisk disk = new RealDisk();
        Wiring wiring = wiring(disk, HeldStarter.around(inner, null));
        ConfiguredPipeline configured = wiring.load(file());
        wiring.start(configured);

        assertThat(started.get(0)).isSameAs(configured);
        assertThat(disks.get(0)).isSameAs(disk);
        assertThat(stores.get(0)).isInstanceOf(FileStateStore.class);
    }

    @Test
    void putsSourceSinkAndStoreBehindAHoldThatIsAskedFor() throws IOException {
        RealDisk disk = new RealDisk();
        Wiring wiring = wiring(disk, HeldStarter.around(inner, "recorded:1/2"));
        ConfiguredPipeline configured = wiring.load(file());
        wiring.start(configured);

        assertThat(started.get(0).source()).isNotSameAs(configured.source());
        assertThat(started.get(0).sink()).isNotSameAs(configured.sink());
        assertThat(started.get(0).config()).isSameAs(configured.config());
        assertThat(disks.get(0)).as("the files of a sink are not held").isSameAs(disk);
        assertThat(stores.get(0)).isNotInstanceOf(FileStateStore.class);
    }

    @Test
    void refusesAHoldThatWouldNeverHoldBeforeAnythingStarts() throws IOException {
        StringWriter err = new StringWriter();
        int status = CommandLines.create(
                        wiring(new RealDisk(), HeldStarter.around(inner, "settling:100/100")),
                        new Nobody(),
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(err, true))
                .execute("run", "--http", "off", file().toString());

        assertThat(status).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "TG-CONFIG-INVALID: -Dtidegate.test.hold=settling:100/100: NUMBER is not from 1 to below TOTAL.");
        assertThat(started).isEmpty();
    }

    private static Wiring wiring(Disk disk, PipelineStarter starter) {
        return new Wiring(new FakeConnectors().connectors(), name -> null, disk, starter);
    }

    private Path file() throws IOException {
        return Files.writeString(
                folder.resolve("orders.yaml"), "pipeline: orders\nsource: {ocean: {host: h}}\nsink: {bucket: }\n");
    }

    private record Ended() implements RunningPipeline {
        @Override
        public PipelineStatus status() {
            throw new UnsupportedOperationException("nobody asks");
        }

        @Override
        public void stop() {}

        @Override
        public CompletableFuture<Optional<TidegateException>> ended() {
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    private static final class Nobody implements Terminal {
        @Override
        public boolean present() {
            return false;
        }

        @Override
        public boolean confirm(String question) {
            return false;
        }

        @Override
        public @Nullable Secret secret(String question) {
            return null;
        }
    }
}
