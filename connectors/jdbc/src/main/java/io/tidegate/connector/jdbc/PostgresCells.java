package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.TargetColumn.Kind;
import io.tidegate.spi.LogicalType;
import java.util.HexFormat;

/** Texts as PostgreSQL's input functions read them. */
final class PostgresCells implements CellStyle {

    @Override
    public String bool(boolean value) {
        return value ? "t" : "f";
    }

    @Override
    public Object bytes(byte[] raw, int from, int length, TargetColumn column) {
        return "\\x" + HexFormat.of().formatHex(raw, from, from + length);
    }

    /** Years of four digits are read as they are; others are told without a sign and with the era. */
    @Override
    public String temporal(LogicalType type, String iso, TargetColumn column) {
        boolean dated =
                type == LogicalType.DATE || type == LogicalType.TIMESTAMP || type == LogicalType.TIMESTAMP_ZONED;
        if (!dated || iso.endsWith("infinity")) {
            return iso;
        }
        char first = iso.charAt(0);
        if (first == '+') {
            return iso.substring(1);
        }
        if (first != '-' && !iso.startsWith("0000")) {
            return iso;
        }
        int from = first == '-' ? 1 : 0;
        int dash = iso.indexOf('-', from);
        int year = Integer.parseInt(iso.substring(from, dash)) + 1;
        String rest = iso.substring(dash).replace('T', ' ').replace("Z", "+00");
        return "%04d%s BC".formatted(year, rest);
    }

    @Override
    public void checkText(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new ValueRefusedException("it has a zero byte, which PostgreSQL's texts cannot hold");
        }
    }

    @Override
    public boolean nonFinite(TargetColumn column) {
        return column.kind() == Kind.FLOAT32 || column.kind() == Kind.FLOAT64 || column.kind() == Kind.DECIMAL;
    }

    @Override
    public boolean jsonArrays() {
        return false;
    }

    @Override
    public boolean zonedIntoPlain() {
        return false;
    }
}
