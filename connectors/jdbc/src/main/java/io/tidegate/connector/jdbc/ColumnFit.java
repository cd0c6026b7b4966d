package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.TargetColumn.Kind;
import io.tidegate.spi.Column;
import io.tidegate.spi.LogicalType;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * Whether a column can hold what is given to it. Servers round digits, cut trailing blanks and drop zones without a word;
 * here that is refused. What a server refuses by itself (a number out of range, a key that is taken) is left to it.
 */
final class ColumnFit {

    private ColumnFit() {}

    /** Why no value of the source's column can go into the target's; empty if values can. */
    static Optional<String> problem(Column source, TargetColumn target, CellStyle style) {
        if (!target.writable()) {
            return Optional.of("is computed by the target and cannot be written");
        }
        if (target.alike() || accepts(target, source.type(), style)) {
            return Optional.empty();
        }
        return Optional.of(
                "is " + target.display() + ", which cannot hold each value of the source's " + source.nativeType());
    }

    private static boolean accepts(TargetColumn target, LogicalType type, CellStyle style) {
        Kind kind = target.kind();
        return switch (type) {
            case BOOLEAN -> kind == Kind.BOOLEAN || kind == Kind.TEXT;
            case INT16, INT32, INT64, UNSIGNED64, DECIMAL -> numeric(kind) || kind == Kind.INTEGER;
            case FLOAT32, FLOAT64 -> numeric(kind);
            case STRING, ENUM, OTHER -> kind == Kind.TEXT || kind == Kind.OTHER;
            case BYTES -> kind == Kind.BYTES || kind == Kind.TEXT;
            case UUID -> kind == Kind.UUID || kind == Kind.TEXT;
            case DATE -> kind == Kind.DATE || kind == Kind.TEXT;
            case TIME -> kind == Kind.TIME || kind == Kind.TIME_ZONED || kind == Kind.TEXT;
            case TIMESTAMP -> kind == Kind.TIMESTAMP || kind == Kind.TEXT;
            case TIMESTAMP_ZONED ->
                kind == Kind.TIMESTAMP_ZONED || kind == Kind.TEXT || (kind == Kind.TIMESTAMP && style.zonedIntoPlain());
            case INTERVAL -> kind == Kind.INTERVAL || kind == Kind.TEXT;
            case JSON -> kind == Kind.JSON || kind == Kind.TEXT;
            case ARRAY ->
                kind == Kind.TEXT
                        || (kind == Kind.ARRAY && target.limits().equals(TargetColumn.Limits.NONE))
                        || (kind == Kind.JSON && style.jsonArrays());
        };
    }

    private static boolean numeric(Kind kind) {
        return kind == Kind.DECIMAL || kind == Kind.FLOAT32 || kind == Kind.FLOAT64 || kind == Kind.TEXT;
    }

    /** A number's text, as the column takes it. */
    static String number(String text, TargetColumn target, CellStyle style) {
        if (target.alike() || target.kind() == Kind.TEXT) {
            return text(text, target, style);
        }
        char last = text.charAt(text.length() - 1);
        if (last == 'N' || last == 'y') {
            if (!style.nonFinite(target)) {
                throw new ValueRefusedException("it is not finite, and the column is " + target.display());
            }
            return text;
        }
        return switch (target.kind()) {
            case INTEGER -> whole(text, target);
            case DECIMAL -> scaled(text, target);
            case FLOAT64 -> exact(text, Double.toString(Double.parseDouble(text)), target);
            case FLOAT32 -> exact(text, Float.toString(Float.parseFloat(text)), target);
            default -> text;
        };
    }

    private static String whole(String text, TargetColumn target) {
        int point = text.indexOf('.');
        if (point < 0) {
            return text;
        }
        if (significant(text, point + 1) > 0) {
            throw new ValueRefusedException("it has digits after the point, and the column is " + target.display());
        }
        return text.substring(0, point);
    }

    private static String scaled(String text, TargetColumn target) {
        int scale = target.limits().scale();
        if (scale < 0) {
            return text;
        }
        boolean exponent = text.indexOf('e') >= 0;
        String plain = exponent ? new BigDecimal(text).toPlainString() : text;
        int point = plain.indexOf('.');
        if (point >= 0 && significant(plain, point + 1) > scale) {
            throw new ValueRefusedException(
                    "it has more than " + scale + " digits after the point, and the column is " + target.display());
        }
        return plain;
    }

    /** How many digits there are from here up to the last one that is not zero. */
    private static int significant(String text, int from) {
        int end = text.length();
        while (end > from && text.charAt(end - 1) == '0') {
            end--;
        }
        return end - from;
    }

    private static String exact(String text, String read, TargetColumn target) {
        if (read.endsWith("y") || new BigDecimal(read).compareTo(new BigDecimal(text)) != 0) {
            throw new ValueRefusedException("it has more digits than a column of type " + target.display() + " keeps");
        }
        return text;
    }

    /** A text, as the column takes it. */
    static String text(String text, TargetColumn target, CellStyle style) {
        style.checkText(text);
        int length = target.limits().length();
        if (length >= 0
                && target.kind() == Kind.TEXT
                && text.length() > length
                && text.codePointCount(0, text.length()) > length) {
            throw new ValueRefusedException("it is longer than the column's " + target.display());
        }
        if (target.castType().equals("char") && text.endsWith(" ")) {
            throw new ValueRefusedException(
                    "it ends in a blank, which a column of type " + target.display() + " drops");
        }
        return text;
    }

    /** ISO text of a date or time, as the column takes it. */
    static String temporal(LogicalType type, String iso, TargetColumn target, CellStyle style) {
        if (target.kind() == Kind.TEXT || type == LogicalType.UUID) {
            return text(iso, target, style);
        }
        if (!target.alike()) {
            checkFraction(iso, target);
            checkOffset(iso, target);
        }
        return style.temporal(type, iso, target);
    }

    private static void checkFraction(String iso, TargetColumn target) {
        int scale = target.limits().scale();
        int point = iso.lastIndexOf('.');
        if (scale < 0 || point < 0) {
            return;
        }
        int end = point + 1;
        while (end < iso.length() && Character.isDigit(iso.charAt(end))) {
            end++;
        }
        if (significant(iso.substring(0, end), point + 1) > scale) {
            throw new ValueRefusedException(
                    "its seconds have more than " + scale + " digits, and the column is " + target.display());
        }
    }

    private static void checkOffset(String iso, TargetColumn target) {
        boolean time = target.kind() == Kind.TIME || target.kind() == Kind.TIME_ZONED;
        if (!time) {
            return;
        }
        boolean zoned = iso.endsWith("Z") || iso.indexOf('+') >= 0 || iso.indexOf('-') >= 0;
        if (zoned != (target.kind() == Kind.TIME_ZONED)) {
            throw new ValueRefusedException(
                    "it has " + (zoned ? "a" : "no") + " zone, and the column is " + target.display());
        }
    }
}
