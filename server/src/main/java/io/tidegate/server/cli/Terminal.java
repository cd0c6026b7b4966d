package io.tidegate.server.cli;

import io.tidegate.spi.Secret;
import java.io.Console;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Asks the person at the terminal, if there is one. */
public interface Terminal {

    boolean present();

    /** Only where somebody is {@link #present}. */
    boolean confirm(String question);

    /** What is typed, which is not shown; null if nothing is. Only where somebody is {@link #present}. */
    @Nullable
    Secret secret(String question);

    /**
     * The terminal that this process was started from. Java's own console must be chosen before: another one is there even
     * if there is no terminal.
     */
    @SuppressWarnings("SystemConsoleNull") // With the console chosen here, null means that there is no terminal.
    static Terminal ofThisProcess() {
        System.setProperty("jdk.console", "java.base");
        return new Terminal() {
            @Override
            public boolean present() {
                return System.console() != null;
            }

            @Override
            public boolean confirm(String question) {
                Console console = System.console();
                String answer = console == null ? null : console.readLine("%s [y/N] ", question);
                return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
            }

            @Override
            public @Nullable Secret secret(String question) {
                Console console = System.console();
                char[] typed = console == null ? null : console.readPassword("%s ", question);
                return typed == null || typed.length == 0 ? null : new Secret(new String(typed));
            }
        };
    }
}
