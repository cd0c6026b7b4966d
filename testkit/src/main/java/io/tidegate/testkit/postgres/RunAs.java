package io.tidegate.testkit.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The user PostgreSQL's programs run as. They refuse to run as root or as a user without a name, and tests in a container
 * often are one of these.
 */
enum RunAs {
    /** This process's user. */
    SELF,

    /**
     * This process's user in a user namespace, where it is nobody in particular: the files stay that user's, root's
     * privileges are gone.
     */
    USER_NAMESPACE,

    /** The user "nobody", for containers that do not allow user namespaces. The files become that user's. */
    NOBODY;

    private static final int NOBODY_ID = 65534;

    /** The best way that works for this process. */
    static RunAs here() {
        return available().get(0);
    }

    /** All ways that work for this process, the best one first. */
    static List<RunAs> available() {
        boolean root = currentUserId() == 0;
        // What the JVM calls a user that has no name.
        boolean nameless = System.getProperty("user.name", "?").equals("?");
        if (!root && !nameless) {
            return List.of(SELF);
        }
        List<RunAs> ways =
                Stream.of(USER_NAMESPACE, NOBODY).filter(RunAs::works).toList();
        if (ways.isEmpty()) {
            throw new IllegalStateException("PostgreSQL does not run as root nor as a user without a name, and neither"
                    + " `unshare -U` nor `setpriv --reuid` (package util-linux) works here. Run as an ordinary user.");
        }
        return ways;
    }

    static int currentUserId() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot find out this process's user", e);
        }
    }

    /** {@code program} as this user. The process that is started becomes the program: its process id stays. */
    List<String> command(List<String> program) {
        List<String> command = new ArrayList<>(prefix());
        command.addAll(program);
        return command;
    }

    /** The program that watches a server of this user. Root outside the namespace may look into it, but not back. */
    List<String> watcherCommand(List<String> program) {
        return this == NOBODY ? command(program) : program;
    }

    /** Makes a folder and all it holds this user's. */
    void own(Path folder) {
        if (this != NOBODY) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.toList()) {
                Files.setAttribute(path, "unix:uid", NOBODY_ID, LinkOption.NOFOLLOW_LINKS);
                Files.setAttribute(path, "unix:gid", NOBODY_ID, LinkOption.NOFOLLOW_LINKS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot give " + folder + " to the user nobody", e);
        }
    }

    private List<String> prefix() {
        return switch (this) {
            case SELF -> List.of();
            case USER_NAMESPACE -> List.of("unshare", "-U");
            case NOBODY -> List.of("setpriv", "--reuid=" + NOBODY_ID, "--regid=" + NOBODY_ID, "--clear-groups");
        };
    }

    private boolean works() {
        try {
            Process probe = new ProcessBuilder(command(List.of("true")))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!probe.waitFor(10, TimeUnit.SECONDS)) {
                probe.destroyForcibly();
                return false;
            }
            return probe.exitValue() == 0;
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while looking for a way to run PostgreSQL", e);
        }
    }
}
