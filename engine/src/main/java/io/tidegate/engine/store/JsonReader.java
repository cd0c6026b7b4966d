package io.tidegate.engine.store;

import org.jspecify.annotations.Nullable;

/**
 * Reads JSON whose members come in a known order, and refuses everything else. Each method takes one token, with the
 * comma before it. Throws IllegalArgumentException, which says what was expected where.
 */
final class JsonReader {

    private final String text;
    private int at;
    private boolean afterOpening = true;

    JsonReader(String text) {
        this.text = text;
    }

    void beginObject() {
        open('{');
    }

    void endObject() {
        take('}');
        afterOpening = false;
    }

    void beginArray() {
        open('[');
    }

    /** Whether another element or member follows; takes the closing bracket or brace if not. */
    boolean more(char closing) {
        if (peek() != closing) {
            return true;
        }
        take(closing);
        afterOpening = false;
        return false;
    }

    void name(String expected) {
        int start = at;
        String name = name();
        if (!name.equals(expected)) {
            throw new IllegalArgumentException(
                    "expected \"" + expected + "\" at character " + start + ", found \"" + name + '"');
        }
    }

    String name() {
        String name = string();
        take(':');
        afterOpening = true;
        return name;
    }

    String string() {
        separate();
        take('"');
        StringBuilder value = new StringBuilder();
        for (char c = next(); c != '"'; c = next()) {
            if (c < ' ') {
                throw expected("a string without control characters");
            }
            value.append(c == '\\' ? escaped() : c);
        }
        return value.toString();
    }

    @Nullable
    String stringOrNull() {
        separate();
        if (peek() == '"') {
            afterOpening = true;
            return string();
        }
        word("null");
        return null;
    }

    boolean bool() {
        separate();
        boolean value = peek() == 't';
        word(value ? "true" : "false");
        return value;
    }

    /** A whole number without sign. */
    long number() {
        separate();
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start || at - start > 18 || (text.charAt(start) == '0' && at - start > 1)) {
            throw expected("a whole number");
        }
        return Long.parseLong(text, start, at, 10);
    }

    /** Nothing but space may follow. */
    void end() {
        skipSpace();
        if (at < text.length()) {
            throw expected("the end");
        }
    }

    private void open(char bracket) {
        separate();
        take(bracket);
        afterOpening = true;
    }

    private void separate() {
        if (!afterOpening) {
            take(',');
        }
        afterOpening = false;
        skipSpace();
    }

    private char escaped() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                int value = 0;
                for (int i = 0; i < 4; i++) {
                    char digit = next();
                    int part = digit < 0x80 ? Character.digit(digit, 16) : -1;
                    if (part < 0) {
                        throw expected("four hexadecimal digits");
                    }
                    value = value << 4 | part;
                }
                yield (char) value;
            }
            default -> throw expected("an escape");
        };
    }

    private char next() {
        if (at == text.length()) {
            throw expected("more");
        }
        return text.charAt(at++);
    }

    private char peek() {
        skipSpace();
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void take(char c) {
        if (peek() != c) {
            throw expected("'" + c + "'");
        }
        at++;
    }

    private void word(String word) {
        if (!text.startsWith(word, at)) {
            throw expected(word);
        }
        at += word.length();
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException expected(String what) {
        return new IllegalArgumentException("expected " + what + " at character " + at);
    }
}
