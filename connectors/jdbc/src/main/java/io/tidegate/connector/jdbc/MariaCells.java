package io.tidegate.connector.jdbc;

import io.tidegate.spi.LogicalType;
import java.util.Arrays;

/** Values as MariaDB takes them: bytes as bytes, all else as text. */
final class MariaCells implements CellStyle {

    @Override
    public String bool(boolean value) {
        return value ? "1" : "0";
    }

    @Override
    public Object bytes(byte[] raw, int from, int length, TargetColumn column) {
        return Arrays.copyOfRange(raw, from, from + length);
    }

    @Override
    public String temporal(LogicalType type, String iso, TargetColumn column) {
        boolean dated =
                type == LogicalType.DATE || type == LogicalType.TIMESTAMP || type == LogicalType.TIMESTAMP_ZONED;
        if (!dated) {
            return iso;
        }
        if (iso.endsWith("infinity")) {
            throw new ValueRefusedException("it is " + iso + ", which MariaDB's dates cannot hold");
        }
        if (!Character.isDigit(iso.charAt(0)) || iso.startsWith("0000")) {
            throw new ValueRefusedException("its year is not one from 1 to 9999");
        }
        String plain = iso.replace('T', ' ');
        return plain.endsWith("Z") ? plain.substring(0, plain.length() - 1) : plain;
    }

    @Override
    public void checkText(String text) {
        // any text can be stored
    }

    @Override
    public boolean nonFinite(TargetColumn column) {
        return false;
    }

    @Override
    public boolean jsonArrays() {
        return true;
    }

    @Override
    public boolean zonedIntoPlain() {
        return true;
    }
}
