package io.tidegate.connector.postgres.config;

import java.util.regex.Pattern;

/**
 * Names prefixes of logical messages: {@code *} stands for any characters, {@code ?} for one, all others for themselves. It
 * matches whole prefixes.
 *
 * @param text as it was written
 */
public record PrefixPattern(String text, Pattern regex) {

    public static PrefixPattern parse(String text) {
        StringBuilder regex = new StringBuilder();
        text.codePoints()
                .forEach(c -> regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(Character.toString(c))));
        return new PrefixPattern(text, Pattern.compile(regex.toString(), Pattern.DOTALL));
    }

    public boolean matches(String prefix) {
        return regex.matcher(prefix).matches();
    }
}
