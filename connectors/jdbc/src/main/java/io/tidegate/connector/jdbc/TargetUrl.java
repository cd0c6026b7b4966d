package io.tidegate.connector.jdbc;

import io.tidegate.spi.Secret;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the target is: {@code SCHEME://user:password@host:port/database}, with {@code jdbc:} before it or not. User and password
 * are percent-encoded. No message about a URL repeats any of its text, since any part may be a piece of a password.
 *
 * @param scheme {@code postgresql} or {@code mariadb}
 * @param authority host and port as the driver wants them, several with commas
 * @param database decoded
 */
record TargetUrl(
        String scheme,
        String authority,
        String database,
        @Nullable String user,
        @Nullable Secret password) {

    private static final String HOST = "(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_.-]+)(:[0-9]{1,5})?";

    private static final List<String> SCHEMES = List.of("postgresql", "postgres", "mariadb");

    /** A URL that cannot be read. */
    static final class Malformed extends Exception {

        private static final long serialVersionUID = 1;

        Malformed(String problem) {
            super(problem);
        }

        String problem() {
            return String.valueOf(getMessage());
        }
    }

    static TargetUrl parse(String text) throws Malformed {
        String url = text.strip();
        if (url.toLowerCase(Locale.ROOT).startsWith("jdbc:")) {
            url = url.substring("jdbc:".length());
        }
        int colon = url.indexOf("://");
        String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
        if (!SCHEMES.contains(scheme)) {
            throw new Malformed("the URL starts neither with postgresql:// nor with mariadb://");
        }
        String rest = url.substring(colon + 3);
        if (rest.indexOf('?') >= 0) {
            throw new Malformed("the URL has parameters, or a raw question mark in a password");
        }
        int slash = rest.indexOf('/');
        String place = slash < 0 ? rest : rest.substring(0, slash);
        String database = slash < 0 ? "" : decode(rest.substring(slash + 1));
        if (database.isEmpty()) {
            throw new Malformed("the URL names no database");
        }
        int at = place.lastIndexOf('@');
        String authority = place.substring(at + 1);
        // An @ behind the first slash: what looks like a host is a piece of a user name or password.
        boolean slashBefore = slash >= 0 && rest.indexOf('@', slash) >= 0;
        if (slashBefore || !authority.matches(HOST + "(," + HOST + ")*")) {
            throw new Malformed("the URL names no host, or a user name or password has a raw slash");
        }
        String user = null;
        Secret password = null;
        if (at >= 0) {
            String login = place.substring(0, at);
            int end = login.indexOf(':');
            user = decode(end < 0 ? login : login.substring(0, end));
            password = end < 0 ? null : new Secret(decode(login.substring(end + 1)));
        }
        return new TargetUrl(
                scheme.equals("postgres") ? "postgresql" : scheme,
                authority,
                database,
                user == null || user.isEmpty() ? null : user,
                password);
    }

    private static String decode(String text) throws Malformed {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Malformed("the URL has a % that is not followed by two hexadecimal digits");
        }
    }

    /** Host, port and database, for people. */
    String display() {
        return authority + "/" + database;
    }

    @Override
    public String toString() {
        return scheme + "://" + display();
    }
}
