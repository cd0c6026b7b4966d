package io.tidegate.demo.process;

import io.tidegate.server.Tidegate;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The program Tidegate, which stops gracefully when the demo that started it has died, in whatever way. The first argument is
 * the demo's process id, the others are Tidegate's.
 */
public final class GuardedEngine {

    private GuardedEngine() {}

    public static void main(String[] args) {
        Optional<ProcessHandle> demo = ProcessHandle.of(Long.parseLong(args[0]));
        if (demo.isEmpty()) {
            return;
        }
        CompletableFuture<Void> unused = demo.get().onExit().thenRun(() -> System.exit(0));
        Tidegate.main(Arrays.copyOfRange(args, 1, args.length));
    }
}
