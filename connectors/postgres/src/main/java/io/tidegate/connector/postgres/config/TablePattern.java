package io.tidegate.connector.postgres.config;

import java.util.regex.Pattern;

/**
 * Names tables: {@code schema.table}, or {@code table} for one in {@code public}. Anchored: it matches whole names. Outside
 * of double quotes {@code *} stands for any characters and {@code ?} for one, and upper-case letters are folded to lower
 * case, as SQL does; within them each character stands for itself, and {@code ""} for a quote.
 *
 * @param text as it was written
 * @param exact it names one table, without wildcards
 */
public record TablePattern(String text, Pattern schema, Pattern table, boolean exact) {

    /** A pattern that cannot be read. */
    public static final class Malformed extends Exception {

        private static final long serialVersionUID = 1;

        Malformed(String text, int at, String problem) {
            super("'" + text + "' is not a table pattern: " + problem + ", at character " + (at + 1));
        }
    }

    public boolean matches(String schemaName, String tableName) {
        return schema.matcher(schemaName).matches() && table.matcher(tableName).matches();
    }

    public static TablePattern parse(String text) throws Malformed {
        return new Parser(text).parse();
    }

    @Override
    public String toString() {
        return text;
    }

    private static final class Parser {
        private final String text;
        private int at;
        private boolean exact = true;

        Parser(String text) {
            this.text = text;
        }

        TablePattern parse() throws Malformed {
            Pattern first = part();
            if (at == text.length()) {
                return new TablePattern(text, Pattern.compile("public"), first, exact);
            }
            at++;
            Pattern second = part();
            if (at < text.length()) {
                throw new Malformed(text, at, "a third part; quote a name that contains a dot");
            }
            return new TablePattern(text, first, second, exact);
        }

        /** Reads up to a dot outside of quotes, or the end. */
        private Pattern part() throws Malformed {
            int start = at;
            StringBuilder regex = new StringBuilder();
            StringBuilder literal = new StringBuilder();
            while (at < text.length() && text.charAt(at) != '.') {
                char c = text.charAt(at);
                if (c == '"') {
                    quoted(literal);
                } else if (c == '*' || c == '?') {
                    flush(literal, regex).append(c == '*' ? ".*" : ".");
                    exact = false;
                    at++;
                } else if (Character.isLetterOrDigit(c) || c == '_' || c == '$' || c > 127) {
                    literal.append(c >= 'A' && c <= 'Z' ? (char) (c + 32) : c);
                    at++;
                } else {
                    throw new Malformed(text, at, "'" + c + "' can stand in a quoted name only");
                }
            }
            if (at == start) {
                throw new Malformed(text, at, "a name is missing");
            }
            return Pattern.compile(flush(literal, regex).toString(), Pattern.DOTALL);
        }

        private void quoted(StringBuilder literal) throws Malformed {
            int open = at++;
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c != '"') {
                    literal.append(c);
                } else if (at < text.length() && text.charAt(at) == '"') {
                    literal.append('"');
                    at++;
                } else {
                    if (at == open + 2) {
                        throw new Malformed(text, open, "a quoted name is empty");
                    }
                    return;
                }
            }
            throw new Malformed(text, open, "a quote is not closed");
        }

        private static StringBuilder flush(StringBuilder literal, StringBuilder regex) {
            if (literal.length() > 0) {
                regex.append(Pattern.quote(literal.toString()));
                literal.setLength(0);
            }
            return regex;
        }
    }
}
