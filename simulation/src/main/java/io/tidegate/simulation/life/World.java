package io.tidegate.simulation.life;

import io.tidegate.connector.files.FileConnector;
import io.tidegate.engine.Pipeline;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.simulation.check.Arrivals;
import io.tidegate.simulation.check.Checks;
import io.tidegate.simulation.check.Ledger;
import io.tidegate.simulation.check.Line;
import io.tidegate.simulation.check.Lines;
import io.tidegate.simulation.check.WrittenFiles;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.sink.TargetDatabase;
import io.tidegate.simulation.sink.TargetSink;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.simulation.stage.Swarm;
import io.tidegate.spi.GivenSettings;
import io.tidegate.spi.Sink;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Everything that outlives a process: upstream, target, disk, and what the checks know. */
final class World {

    private static final Path STATE = Path.of("/state");
    private static final String NAME = "p";
    private static final long COMPACT_BYTES_MIN = 900;

    final Stage stage;
    final Upstream upstream;
    final Checks checks;
    final TargetDatabase target;
    private final Arrivals arrivals;
    private final WrittenFiles files;
    private final TargetSink.Refusals refusals = new TargetSink.Refusals();
    private SimulatedDisk disk;

    World(Stage stage) {
        this.stage = stage;
        this.upstream =
                stage.swarm().upstream() == Swarm.Upstream.LOG ? new LogUpstream(stage) : new ShardUpstream(stage);
        Ledger ledger = new Ledger();
        this.checks = new Checks(stage, upstream.required(ledger), ledger);
        this.arrivals = new Arrivals(stage, checks);
        this.target = new TargetDatabase(stage, arrivals);
        this.files = new WrittenFiles(stage, ledger);
        this.disk = new SimulatedDisk(stage.luck()::bits);
    }

    /** Whether the target refused something of the open session, and did not take it since. */
    boolean refusing() {
        return refusals.pending();
    }

    /** Starts the engine in a process. */
    Pipeline start(Life process) {
        FaultyDisk ours = new FaultyDisk(stage, process, disk);
        Environment environment = new Environment(
                stage.scheduler(), stage.luck()::bits, stage.scheduler().threadsOf(process), ours);
        FileStateStore.Options store =
                new FileStateStore.Options(ours, STATE, NAME, SimPosition.ORDER, COMPACT_BYTES_MIN);
        Pipeline pipeline = new Pipeline(
                new Pipeline.Definition(
                        NAME,
                        upstream.source(checks, process),
                        sink(process),
                        () -> Line.ENCODER,
                        stage.swarm().options(),
                        () -> new WatchedStore(FileStateStore.open(store, "a simulated process"), checks)),
                environment);
        pipeline.start();
        return pipeline;
    }

    private Sink sink(Life process) {
        if (stage.swarm().target() != Swarm.Target.FILES) {
            return new TargetSink(stage, target, process, refusals);
        }
        FileConnector connector = new FileConnector();
        boolean apart = stage.swarm().options().batchChanges() % 2 == 0;
        Sink sink = connector.create(new GivenSettings(
                "sink file",
                NAME,
                Path.of("/"),
                connector.settings(),
                Map.of(
                        "path",
                        WrittenFiles.FOLDER.toString(),
                        "files",
                        apart ? "table" : "single",
                        "rotate.size",
                        "1KiB",
                        "rotate.interval",
                        "1s")));
        return new WatchedFileSink(sink, stage, process, arrivals);
    }

    /** A process ends here: its roles where they stand, its locks, and with a loss of power what was not forced. */
    void end(Life process, Fault how) {
        process.die();
        stage.scheduler().kill(process);
        checks.writerDied();
        target.senderDied();
        boolean power = how == Fault.POWER_LOSS || how == Fault.POWER_LOSS_IN_CALL;
        disk = power ? disk.crash() : disk.kill();
        if (stage.swarm().target() == Swarm.Target.FILES) {
            files.checkDurable(disk);
        }
    }

    /** Everything that must be at the target in the end. */
    void compare() {
        stage.tally().count(disk.events());
        switch (stage.swarm().target()) {
            case UPSERT_FENCED, UPSERT_PLAIN -> upstream.compareRows(checks, target);
            case APPEND_FENCED -> compare(target.log().stream().map(Line::of).toList(), true);
            case APPEND_PLAIN -> compare(target.log().stream().map(Line::of).toList(), false);
            case FILES -> {
                files.checkDurable(disk);
                compare(files.lines(disk), false);
            }
        }
    }

    private void compare(List<Line> all, boolean once) {
        Lines lines = new Lines(stage, all);
        lines.checkOrder(once);
        upstream.compareLines(checks, lines);
    }
}
