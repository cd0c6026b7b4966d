package io.tidegate.demo;

import io.tidegate.demo.process.EngineProcess;

/** What other threads tell the thread that runs the demo. */
sealed interface Happening {

    /** A signal asks the demo to end. */
    record Signal() implements Happening {}

    /** Nobody reads the standard output any more. */
    record ReaderGone() implements Happening {}

    /** A process of the engine has ended, killed or not. */
    record EngineEnded(EngineProcess engine, int status) implements Happening {}

    /** The load, or the reading of lines, cannot go on. */
    record Failed(Exception cause) implements Happening {}
}
