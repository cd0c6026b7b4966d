package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.server.Sql;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A part of the rows of one relation. The first and the last chunk of a relation are open-ended, so that together they
 * cover it whatever it holds when it is read.
 *
 * @param table whose rows these are
 * @param leaf the relation that holds them: the table itself, or a partition
 * @param range which of the relation's rows
 */
public record Chunk(long table, long leaf, Range range) {

    private static final Pattern PAGES =
            Pattern.compile("table=([0-9]+) leaf=([0-9]+) from=(-1|[0-9]+) to=(-1|[0-9]+)");

    /** Every text is percent-encoded; an end that is open is not there. */
    private static final Pattern KEYS =
            Pattern.compile("table=([0-9]+) leaf=([0-9]+) key=([^ ]+) type=([^ ]+)(?: ge=([^ ]*+))?(?: lt=([^ ]*+))?");

    /** Which rows of a relation. */
    public sealed interface Range permits Pages, Keys {
        /** The condition that selects them; empty for all rows. */
        String condition();
    }

    /**
     * Rows by where they lie.
     *
     * @param from first page, -1 for the beginning
     * @param to the page after the last, -1 for the end
     */
    public record Pages(long from, long to) implements Range {

        static final Pages ALL = new Pages(-1, -1);

        @Override
        public String condition() {
            List<String> parts = new ArrayList<>();
            if (from >= 0) {
                parts.add("ctid >= '(" + from + ",0)'::pg_catalog.tid");
            }
            if (to >= 0) {
                parts.add("ctid < '(" + to + ",0)'::pg_catalog.tid");
            }
            return String.join(" AND ", parts);
        }
    }

    /**
     * Rows by a column that is never null, in the order of the column's own collation. The bounds are values of rows: no
     * message shows them.
     *
     * @param column the key's leading column
     * @param type its type in SQL, that below a domain
     * @param from first value, null for the beginning
     * @param to the value after the last, null for the end
     */
    public record Keys(
            String column,
            String type,
            @Nullable String from,
            @Nullable String to) implements Range {

        @Override
        public String condition() {
            List<String> parts = new ArrayList<>();
            if (from != null) {
                parts.add(Sql.name(column) + " >= " + constant(from, type));
            }
            if (to != null) {
                parts.add(Sql.name(column) + " < " + constant(to, type));
            }
            return String.join(" AND ", parts);
        }

        /** The bounds as SQL has them. */
        List<String> constants() {
            List<String> constants = new ArrayList<>();
            if (from != null) {
                constants.add(constant(from, type));
            }
            if (to != null) {
                constants.add(constant(to, type));
            }
            return constants;
        }

        static String constant(String value, String type) {
            return Sql.text(value) + "::" + type;
        }

        @Override
        public String toString() {
            return "Keys[" + column + " " + type + "]";
        }
    }

    /**
     * Reads what {@link #spec} gives.
     *
     * @throws IllegalArgumentException if the text is none that {@link #spec} gives
     */
    public static Chunk parse(String spec) {
        Matcher pages = PAGES.matcher(spec);
        if (pages.matches()) {
            Range range = new Pages(Long.parseLong(pages.group(3)), Long.parseLong(pages.group(4)));
            return new Chunk(Long.parseLong(pages.group(1)), Long.parseLong(pages.group(2)), range);
        }
        Matcher keys = KEYS.matcher(spec);
        if (keys.matches()) {
            Range range = new Keys(
                    decoded(keys.group(3)), decoded(keys.group(4)), bound(keys.group(5)), bound(keys.group(6)));
            return new Chunk(Long.parseLong(keys.group(1)), Long.parseLong(keys.group(2)), range);
        }
        throw new IllegalArgumentException("not a chunk"); // its text may hold values of rows
    }

    /** A text of one line from which {@link #parse} makes the same chunk again; it holds the bounds. */
    public String spec() {
        String of = "table=" + table + " leaf=" + leaf;
        if (range instanceof Pages pages) {
            return of + " from=" + pages.from + " to=" + pages.to;
        }
        Keys keys = (Keys) range;
        return of + " key=" + encoded(keys.column) + " type=" + encoded(keys.type)
                + (keys.from == null ? "" : " ge=" + encoded(keys.from))
                + (keys.to == null ? "" : " lt=" + encoded(keys.to));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static @Nullable String bound(@Nullable String text) {
        return text == null ? null : decoded(text);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) { // its message shows the text
            throw new IllegalArgumentException("not a chunk");
        }
    }
}
