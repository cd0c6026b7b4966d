package io.tidegate.demo;

import io.tidegate.demo.process.EngineProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The engine of a run: one process, or one after the other. Belongs to the run's thread. Closing leaves no process. */
interface Engines extends AutoCloseable {

    Path pipeline();

    /** Whether what happens to this process matters. */
    boolean isCurrent(EngineProcess engine);

    /** SIGKILL, and a new process. */
    void killAndStart() throws IOException, InterruptedException;

    /** Whether everything is delivered even if a signal asks for the end. */
    boolean finishAfterSignal();

    /** Starts a process if none runs, for what is left to deliver. */
    void ensureRunning() throws IOException;

    /** Stops gracefully, says how it went, and gives the exit status of the run. */
    int finish(DemoRun.End end, long committed, Consumer<String> notices) throws IOException, InterruptedException;

    @Override
    void close();
}
