package io.tidegate.connector.files;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the standard output goes.
 *
 * @param stream tells of failures, which a {@link java.io.PrintStream} hides
 * @param terminal a person reads it
 * @param regularFile it was redirected to a file; else a failed write means that nobody reads any more
 * @param colorWelcome the environment does not ask for plain text
 */
record StandardOutput(OutputStream stream, boolean terminal, boolean regularFile, boolean colorWelcome) {

    private static final Path LINK = Path.of("/proc/self/fd/1");

    @SuppressWarnings("SystemConsoleNull") // the link says what a newer JDK does not
    static StandardOutput ofThisProcess() {
        String noColor = System.getenv("NO_COLOR");
        boolean plain = (noColor != null && !noColor.isEmpty()) || "dumb".equals(System.getenv("TERM"));
        return new StandardOutput(
                new FileOutputStream(FileDescriptor.out),
                System.console() != null && linkIsTerminal(),
                Files.isRegularFile(LINK),
                !plain);
    }

    /** A newer JDK gives a console even where there is no terminal, so the system has the last word where it can tell. */
    private static boolean linkIsTerminal() {
        if (!Files.isSymbolicLink(LINK)) {
            return true;
        }
        try {
            String device = Files.readSymbolicLink(LINK).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty") || device.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }
}
