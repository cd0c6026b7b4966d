package io.tidegate.server.cli;

import java.util.function.IntConsumer;

/**
 * How a process is asked to end, and ends.
 *
 * @param onShutdown registers what runs when a signal asks the process to end, on a thread of its own; what it gives takes
 *     that back
 * @param halt ends the process at once with an exit status, also inside such a shutdown
 */
record ProcessEnd(Registration onShutdown, IntConsumer halt) {

    /** Registers, and gives what takes it back. */
    interface Registration {
        Runnable register(Runnable action);
    }

    static ProcessEnd ofThisProcess() {
        return new ProcessEnd(
                action -> {
                    Thread hook = new Thread(action, "shutdown");
                    Runtime.getRuntime().addShutdownHook(hook);
                    return () -> Runtime.getRuntime().removeShutdownHook(hook);
                },
                Runtime.getRuntime()::halt);
    }
}
