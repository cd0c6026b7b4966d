package io.tidegate.server.cli;

import java.io.Console;
import java.util.Locale;

/** Asks the person at the terminal, if there is one. */
public interface Terminal {

    boolean present();

    /** Only where somebody is {@link #present}. */
    boolean confirm(String question);

    static Terminal ofThisProcess() {
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
        };
    }
}
