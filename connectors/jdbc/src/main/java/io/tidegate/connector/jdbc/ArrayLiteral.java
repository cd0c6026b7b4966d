package io.tidegate.connector.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** PostgreSQL's text form of arrays (documentation, "Array Input and Output Syntax"). */
final class ArrayLiteral {

    private ArrayLiteral() {}

    /** What stands between elements: {@code box} alone has another one. */
    static char delimiter(String arrayType) {
        return arrayType.startsWith("box[") ? ';' : ',';
    }

    static void appendQuoted(StringBuilder out, String text) {
        out.append('"');
        int clean = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append(text, clean, i).append('\\');
                clean = i;
            }
        }
        out.append(text, clean, text.length()).append('"');
    }

    /** One column of many rows as an array of one dimension. */
    static String ofColumn(List<Object[]> rows, int column) {
        int length = 2;
        for (Object[] row : rows) {
            length += row[column] instanceof String text ? text.length() + 3 : 5; // quotes or NULL, and the comma
        }
        StringBuilder out = new StringBuilder(length).append('{');
        for (Object[] row : rows) {
            if (out.length() > 1) {
                out.append(',');
            }
            @Nullable Object cell = row[column];
            if (cell == null) {
                out.append("NULL");
            } else {
                appendQuoted(out, (String) cell);
            }
        }
        return out.append('}').toString();
    }
}
