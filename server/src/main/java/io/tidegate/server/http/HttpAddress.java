package io.tidegate.server.http;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the HTTP server listens.
 *
 * @param host loopback unless told otherwise
 * @param port 0: any that is free
 */
public record HttpAddress(String host, int port) {

    public static final String DEFAULT = "127.0.0.1:8686";

    private static final String LOOPBACK = "127.0.0.1";
    private static final Pattern FORM = Pattern.compile("(|\\[[0-9a-fA-F:.]+]|[^\\[\\]:\\s]+):([0-9]{1,5})");

    /** Reads {@code HOST:PORT} or {@code :PORT}; nothing for {@code off}. */
    public static Optional<HttpAddress> parse(String text) {
        if (text.equals("off")) {
            return Optional.empty();
        }
        Matcher matcher = FORM.matcher(text);
        if (matcher.matches() && Integer.parseInt(matcher.group(2)) <= 65_535) {
            String host = matcher.group(1).isEmpty() ? LOOPBACK : matcher.group(1);
            return Optional.of(new HttpAddress(host, Integer.parseInt(matcher.group(2))));
        }
        throw new TidegateException(
                ErrorCode.CONFIG_INVALID,
                "--http: \"" + text + "\" is not an address.",
                "Write HOST:PORT, :PORT for loopback, or off.",
                null);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
