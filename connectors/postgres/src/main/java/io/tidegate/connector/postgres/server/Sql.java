package io.tidegate.connector.postgres.server;

/** Names and texts as SQL writes them. */
public final class Sql {

    private Sql() {}

    /** A quoted name. */
    public static String name(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A quoted name with its schema. */
    public static String name(String schema, String name) {
        return name(schema) + "." + name(name);
    }

    /** A text in quotes; right whatever standard_conforming_strings says. */
    public static String text(String text) {
        String quoted = "'" + text.replace("'", "''").replace("\\", "\\\\") + "'";
        return text.indexOf('\\') < 0 ? quoted : " E" + quoted;
    }
}
