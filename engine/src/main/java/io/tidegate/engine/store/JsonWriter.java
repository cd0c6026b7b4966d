package io.tidegate.engine.store;

import org.jspecify.annotations.Nullable;

/** Writes JSON with its members in the order in which they are given, on one line unless told otherwise. */
final class JsonWriter {

    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out = new StringBuilder();

    @Override
    public String toString() {
        return out.toString();
    }

    JsonWriter beginObject() {
        separate();
        out.append('{');
        return this;
    }

    JsonWriter endObject() {
        out.append('}');
        return this;
    }

    JsonWriter beginArray() {
        separate();
        out.append('[');
        return this;
    }

    JsonWriter endArray() {
        out.append(']');
        return this;
    }

    JsonWriter name(String name) {
        string(name);
        out.append(':');
        return this;
    }

    JsonWriter string(@Nullable String value) {
        separate();
        if (value == null) {
            out.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    JsonWriter bool(boolean value) {
        separate();
        out.append(value);
        return this;
    }

    JsonWriter number(long value) {
        separate();
        out.append(value);
        return this;
    }

    /** What follows begins a line. */
    JsonWriter line() {
        separate();
        out.append('\n');
        return this;
    }

    private void separate() {
        char last = out.isEmpty() ? '\n' : out.charAt(out.length() - 1);
        if (last != '{' && last != '[' && last != ':' && last != '\n') {
            out.append(',');
        }
    }

    private void quote(String value) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                out.append(c).append(value.charAt(++i));
            } else if (isPlain(c)) {
                out.append(c);
            } else {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(HEX.charAt((c >> shift) & 0xf));
                }
            }
        }
        out.append('"');
    }

    /** Neither a control character, nor one that ends a line somewhere, nor half of a pair, which UTF-8 cannot hold. */
    private static boolean isPlain(char c) {
        return c >= ' ' && !(c >= 0x7f && c < 0xa0) && c != 0x2028 && c != 0x2029 && !Character.isSurrogate(c);
    }
}
