package io.tidegate.connector.postgres.config;

import io.tidegate.spi.Secret;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How connections are encrypted and the server is verified; the same for every connection.
 *
 * @param ca certificates that a verified server's chain must end in
 * @param cert our own certificate, with its {@code key}
 */
public record TlsConfig(
        Mode mode,
        @Nullable Path ca,
        @Nullable Path cert,
        @Nullable Path key,
        @Nullable Secret keyPassword) {

    /** libpq's words for sslmode. */
    public enum Mode {
        DISABLE("disable"),
        ALLOW("allow"),
        PREFER("prefer"),
        REQUIRE("require"),
        VERIFY_CA("verify-ca"),
        VERIFY_FULL("verify-full");

        private final String word;

        Mode(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }

        /** Whether the server's certificate is checked. */
        public boolean verifies() {
            return this == VERIFY_CA || this == VERIFY_FULL;
        }

        /** Whether a connection without encryption is refused. */
        public boolean encrypts() {
            return this == REQUIRE || verifies();
        }

        public static List<String> words() {
            return Arrays.stream(values()).map(Mode::word).toList();
        }

        public static Optional<Mode> of(String word) {
            return Arrays.stream(values()).filter(m -> m.word.equals(word)).findFirst();
        }
    }

    /** What contradicts itself, in one sentence; empty if nothing does. Nothing that was asked for is ever left out silently. */
    public Optional<String> contradiction() {
        if (ca != null && !mode.verifies()) {
            return Optional.of("a CA file is given, but the mode '" + mode.word + "' does not verify the server");
        }
        if ((cert == null) != (key == null)) {
            return Optional.of("a client certificate needs its key, and a key its certificate");
        }
        if (cert != null && !mode.encrypts()) {
            return Optional.of("a client certificate is given, but the mode '" + mode.word
                    + "' allows connections without encryption");
        }
        if (mode.verifies() && ca == null) {
            return Optional.of("the mode '" + mode.word + "' verifies the server and needs a CA file, 'tls.ca'; the"
                    + " system's is often /etc/ssl/certs/ca-certificates.crt");
        }
        return Optional.empty();
    }
}
