package io.tidegate.connector.postgres.config;

import io.tidegate.spi.Secret;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A connection URL as libpq reads it (PostgreSQL documentation, "Connection URIs"), also in the spelling of JDBC. Names,
 * passwords and values of parameters are percent-encoded; a raw {@code @} or {@code :} in a password is understood. No message
 * about a URL repeats any of its text but the names of parameters, since any part may be a piece of a password.
 *
 * @param hosts in the order in which they are tried
 * @param parameters by their libpq name, without user and password
 */
public record ConnectionUrl(
        List<Host> hosts,
        @Nullable String database,
        @Nullable String user,
        @Nullable Secret password,
        SortedMap<String, String> parameters) {

    static final int DEFAULT_PORT = 5432;

    /** The parameters that are understood, each with its other spellings. */
    private static final Map<String, List<String>> KNOWN = Map.ofEntries(
            Map.entry("application_name", List.of("ApplicationName")),
            Map.entry("channel_binding", List.of("channelBinding")),
            Map.entry("connect_timeout", List.of("connectTimeout")),
            Map.entry("gssencmode", List.of("gssEncMode")),
            Map.entry("password", List.of()),
            Map.entry("sslcert", List.of()),
            Map.entry("sslkey", List.of()),
            Map.entry("sslmode", List.of()),
            Map.entry("sslnegotiation", List.of("sslNegotiation")),
            Map.entry("sslpassword", List.of()),
            Map.entry("sslrootcert", List.of()),
            Map.entry("user", List.of()));

    /** How URLs begin. */
    public static final List<String> SCHEMES = List.of("postgresql://", "postgres://", "jdbc:postgresql://");

    private static final String ENCODE = "in a user name or password write / as %2F, ? as %3F, # as %23, % as %25 and a"
            + " space as %20, or give the password by 'password'";

    public ConnectionUrl {
        hosts = List.copyOf(hosts);
    }

    /** A server's address. */
    public record Host(String name, int port) {
        @Override
        public String toString() {
            return (name.indexOf(':') >= 0 ? "[" + name + "]" : name) + ":" + port;
        }
    }

    /** A URL that cannot be read; the message holds no text of it. */
    public static final class Malformed extends Exception {

        private static final long serialVersionUID = 1;

        private final String cure;

        Malformed(String problem, String cure) {
            super(problem);
            this.cure = cure;
        }

        public String problem() {
            return String.valueOf(getMessage());
        }

        public String cure() {
            return cure;
        }
    }

    public static ConnectionUrl parse(String url) throws Malformed {
        String rest = withoutScheme(url.strip());
        int query = rest.indexOf('?', Math.max(0, rest.indexOf('/')));
        String place = query < 0 ? rest : rest.substring(0, query);
        SortedMap<String, String> parameters = parameters(query < 0 ? "" : rest.substring(query + 1));
        int slash = place.indexOf('/');
        String authority = slash < 0 ? place : place.substring(0, slash);
        String database = slash < 0 ? "" : decode(place.substring(slash + 1));
        int at = authority.lastIndexOf('@');
        String user = at < 0 ? null : authority.substring(0, at);
        String password = null;
        if (user != null && user.indexOf(':') >= 0) {
            password = decode(user.substring(user.indexOf(':') + 1));
            user = user.substring(0, user.indexOf(':'));
        }
        user = once("user", user == null || user.isEmpty() ? null : decode(user), parameters.remove("user"));
        password = once("password", password, parameters.remove("password"));
        return new ConnectionUrl(
                hosts(authority.substring(at + 1)),
                database.isEmpty() ? null : database,
                user,
                password == null ? null : new Secret(password),
                parameters);
    }

    /** A URL that says the same, but for the password, which is not in it. */
    public String withoutPassword() {
        StringBuilder url = new StringBuilder("postgresql://");
        if (user != null) {
            url.append(encode(user)).append('@');
        }
        url.append(hosts.stream()
                .map(host -> (host.name().indexOf(':') >= 0 ? "[" + host.name() + "]" : encode(host.name())) + ":"
                        + host.port())
                .collect(Collectors.joining(",")));
        url.append('/').append(database == null ? "" : encode(database));
        char separator = '?';
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            url.append(separator).append(parameter.getKey()).append('=').append(encode(parameter.getValue()));
            separator = '&';
        }
        return url.toString();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }

    private static String withoutScheme(String url) throws Malformed {
        for (String scheme : SCHEMES) {
            if (url.regionMatches(true, 0, scheme, 0, scheme.length())) {
                return url.substring(scheme.length());
            }
        }
        throw new Malformed("the URL does not start with postgresql://", "write postgresql://user@host:5432/database");
    }

    private static @Nullable String once(String name, @Nullable String first, @Nullable String second)
            throws Malformed {
        if (first != null && second != null) {
            throw new Malformed(
                    "the URL gives the " + name + " twice", "give it once, before the host or as a parameter");
        }
        return first == null ? second : first;
    }

    private static List<Host> hosts(String text) throws Malformed {
        List<Host> hosts = new ArrayList<>();
        for (String one : text.split(",", -1)) {
            int end = one.startsWith("[") ? one.indexOf(']') : -1;
            int colon = one.indexOf(':', Math.max(0, end));
            String name = colon < 0 ? one : one.substring(0, colon);
            if (end > 0) {
                name = name.substring(1, end);
            }
            if (name.isEmpty()) {
                throw new Malformed("the URL names no host", "write postgresql://user@host:5432/database");
            }
            hosts.add(new Host(decode(name), colon < 0 ? DEFAULT_PORT : port(one.substring(colon + 1))));
        }
        return hosts;
    }

    private static int port(String text) throws Malformed {
        if (text.matches("[0-9]{1,5}")) {
            int port = Integer.parseInt(text);
            if (port >= 1 && port <= 65535) {
                return port;
            }
        }
        throw new Malformed("the URL's port is not a number from 1 to 65535", "write host:5432; " + ENCODE);
    }

    private static SortedMap<String, String> parameters(String query) throws Malformed {
        SortedMap<String, String> found = new TreeMap<>();
        if (query.isEmpty()) {
            return found;
        }
        for (String pair : query.split("&", -1)) {
            int equal = pair.indexOf('=');
            if (equal <= 0) {
                throw new Malformed("a parameter of the URL has no value", "write ?name=value&name=value; " + ENCODE);
            }
            String name = canonical(decode(pair.substring(0, equal)));
            if (found.put(name, decode(pair.substring(equal + 1))) != null) {
                throw new Malformed("the URL gives the parameter '" + name + "' twice", "give it once");
            }
        }
        return found;
    }

    private static String canonical(String name) throws Malformed {
        for (Map.Entry<String, List<String>> known : KNOWN.entrySet()) {
            if (known.getKey().equals(name) || known.getValue().contains(name)) {
                return known.getKey();
            }
        }
        // A name that cannot be one is likely a piece of a password with a raw question mark: it is not repeated.
        if (!name.matches("[A-Za-z_]{1,40}")) {
            throw new Malformed("the URL has a parameter that is not known", ENCODE);
        }
        throw new Malformed(
                "the URL's parameter '" + name + "' is not known",
                "did you mean '" + nearest(name) + "'? Known are " + String.join(", ", new TreeMap<>(KNOWN).keySet()));
    }

    private static String nearest(String name) {
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (String known : new TreeMap<>(KNOWN).keySet()) {
            int distance = distance(name.toLowerCase(Locale.ROOT), known);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = known;
            }
        }
        return best;
    }

    /** How many letters have to be put in, taken out or changed. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }

    private static String decode(String text) throws Malformed {
        if (text.indexOf('%') < 0) {
            return text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int i = 0;
        while (i < text.length()) {
            int codePoint = text.codePointAt(i);
            if (codePoint != '%') {
                bytes.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
                i += Character.charCount(codePoint);
                continue;
            }
            int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
            if (high < 0 || low < 0 || high + low == 0) {
                throw new Malformed("the URL has a % that is not followed by two hexadecimal digits", ENCODE);
            }
            bytes.write(high * 16 + low);
            i += 3;
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
