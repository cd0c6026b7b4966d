package io.tidegate.demo;

import io.tidegate.demo.process.EngineProcess;
import io.tidegate.testkit.net.LoopbackPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** An engine that lives as long as the run and writes to the standard output by itself. */
final class OneEngine implements Engines {

    private final Path pipeline;
    private final EngineProcess engine;

    private OneEngine(Path pipeline, EngineProcess engine) {
        this.pipeline = pipeline;
        this.engine = engine;
    }

    static OneEngine start(PipelineFiles files, Consumer<Happening> happenings) throws IOException {
        Path pipeline = files.forPeople();
        String http = "127.0.0.1:" + LoopbackPort.free();
        EngineProcess engine = EngineProcess.onOurOutput(EngineProcess.Command.run(pipeline, http, "warn"));
        engine.onEnd(status -> happenings.accept(new Happening.EngineEnded(engine, status)));
        return new OneEngine(pipeline, engine);
    }

    @Override
    public Path pipeline() {
        return pipeline;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a process is itself
    public boolean isCurrent(EngineProcess other) {
        return other == engine;
    }

    @Override
    public void killAndStart() {
        throw new IllegalStateException("an engine that is not to be killed");
    }

    @Override
    public boolean finishAfterSignal() {
        return false;
    }

    @Override
    public void ensureRunning() {}

    @Override
    public int finish(DemoRun.End end, long committed, Consumer<String> notices) throws InterruptedException {
        int status = engine.stop();
        if (end.why() == DemoRun.Why.ENGINE_FAILED) {
            return end.status();
        }
        notices.accept("stopped; the load committed " + committed
                + " changes. Next: ./tidegate demo --seconds 30 --kill-every 5, or docs/demo.md");
        return end.why() == DemoRun.Why.TIME_IS_UP ? status : 0;
    }

    @Override
    public void close() {
        engine.close();
    }
}
