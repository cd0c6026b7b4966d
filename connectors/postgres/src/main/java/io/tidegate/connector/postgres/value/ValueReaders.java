package io.tidegate.connector.postgres.value;

import io.tidegate.spi.LogicalType;
import io.tidegate.spi.ValueVisitor;

/** Chooses the reader of a type: built-in types by OID, the rest by what they are made of, else the server's text. */
final class ValueReaders {

    /** Domains over domains end; a catalogue that changes while it is read could make a circle. */
    private static final int DEPTH_MAX = 32;

    /** OIDs from here on are given to what users create ({@code FirstNormalObjectId}). */
    private static final int FIRST_USER_OID = 16384;

    private static final ValueReader OTHER = new TextReader(LogicalType.OTHER, ValueVisitor::other);
    private static final ValueReader STRING = new TextReader(LogicalType.STRING, ValueVisitor::string);
    private static final ValueReader ENUM = new TextReader(LogicalType.ENUM, ValueVisitor::string);
    private static final ValueReader JSON = new TextReader(LogicalType.JSON, ValueVisitor::json);

    private ValueReaders() {}

    static ValueReader of(PgType type, TypeCatalogue types) {
        return of(type, types, 0);
    }

    private static ValueReader of(PgType type, TypeCatalogue types, int depth) {
        if (depth > DEPTH_MAX) {
            return OTHER;
        }
        return switch (type.kind()) {
            case BASE -> base(type);
            case ENUM -> ENUM;
            case DOMAIN -> of(types.find(type.related(), -1), types, depth + 1);
            case ARRAY -> {
                PgType element = types.find(type.related(), -1);
                yield new ArrayReader(of(element, types, depth + 1), element.delimiter());
            }
            case OTHER -> OTHER;
        };
    }

    private static ValueReader base(PgType type) {
        if (Integer.compareUnsigned(type.oid(), FIRST_USER_OID) >= 0) {
            return type.name().equals("citext") ? STRING : OTHER;
        }
        return switch (type.oid()) {
            case 16 -> new BooleanReader();
            case 17 -> new HexReader();
            case 18 -> new CharReader();
            case 19, 25, 1042, 1043 -> STRING; // name, text, bpchar, varchar
            case 20 -> new IntegerReader(LogicalType.INT64, Long.MIN_VALUE, Long.MAX_VALUE);
            case 21 -> new IntegerReader(LogicalType.INT16, Short.MIN_VALUE, Short.MAX_VALUE);
            case 23 -> new IntegerReader(LogicalType.INT32, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case 26 -> new IntegerReader(LogicalType.INT64, 0, 0xFFFF_FFFFL); // oid
            case 114, 3802 -> JSON; // json, jsonb
            case 700 -> new NumberReader(LogicalType.FLOAT32);
            case 701 -> new NumberReader(LogicalType.FLOAT64);
            case 1700 -> new NumberReader(LogicalType.DECIMAL);
            case 1082 -> new TemporalReader(LogicalType.DATE, TemporalReader.Parts.DATE);
            case 1083 -> new TemporalReader(LogicalType.TIME, TemporalReader.Parts.TIME);
            case 1266 -> new TemporalReader(LogicalType.TIME, TemporalReader.Parts.TIME_ZONED);
            case 1114 -> new TemporalReader(LogicalType.TIMESTAMP, TemporalReader.Parts.TIMESTAMP);
            case 1184 -> new TemporalReader(LogicalType.TIMESTAMP_ZONED, TemporalReader.Parts.TIMESTAMP_ZONED);
            case 1186 -> new AsciiReader(LogicalType.INTERVAL);
            case 2950 -> new AsciiReader(LogicalType.UUID);
            default -> OTHER;
        };
    }

    /** One call of a visitor with a range of bytes. */
    private interface Call {
        void give(ValueVisitor visitor, byte[] data, int from, int length);
    }

    /** The text as it is. */
    private record TextReader(LogicalType type, Call call) implements ValueReader {

        @Override
        public void read(byte[] data, int from, int length, ValueVisitor visitor) {
            call.give(visitor, data, from, length);
        }
    }

    /**
     * {@code "char"}, a byte and not a character. One beyond ASCII is given in octal with a backslash, as servers from 15 on
     * print it; before, they send the byte itself, which is no UTF-8.
     */
    private record CharReader() implements ValueReader {

        @Override
        public LogicalType type() {
            return LogicalType.STRING;
        }

        @Override
        public void read(byte[] data, int from, int length, ValueVisitor visitor) {
            if (length != 1 || data[from] >= 0) {
                visitor.string(data, from, length);
                return;
            }
            int bits = data[from] & 0xFF;
            byte[] octal = {'\\', (byte) ('0' + (bits >> 6)), (byte) ('0' + (bits >> 3 & 7)), (byte) ('0' + (bits & 7))
            };
            visitor.string(octal, 0, octal.length);
        }
    }

    private record AsciiReader(LogicalType type) implements ValueReader {

        @Override
        public void read(byte[] data, int from, int length, ValueVisitor visitor) {
            if (length == 0) {
                throw new UnreadableTextException("the text is empty");
            }
            for (int i = from; i < from + length; i++) {
                if (data[i] <= ' ') {
                    throw new UnreadableTextException("the text is not printable ASCII");
                }
            }
            visitor.text(type, data, from, length);
        }
    }

    private record BooleanReader() implements ValueReader {

        @Override
        public LogicalType type() {
            return LogicalType.BOOLEAN;
        }

        @Override
        public void read(byte[] data, int from, int length, ValueVisitor visitor) {
            if (length != 1 || (data[from] != 't' && data[from] != 'f')) {
                throw new UnreadableTextException("neither t nor f");
            }
            visitor.bool(data[from] == 't');
        }
    }

    private record IntegerReader(LogicalType type, long min, long max) implements ValueReader {

        @Override
        public void read(byte[] data, int from, int length, ValueVisitor visitor) {
            int at = from;
            int end = from + length;
            boolean negative = length > 0 && data[at] == '-';
            if (negative) {
                at++;
            }
            if (at == end) {
                throw new UnreadableTextException("no digits");
            }
            // counted downwards, because the lowest long has no positive counterpart
            long value = 0;
            for (; at < end; at++) {
                int digit = data[at] - '0';
                if (digit < 0 || digit > 9) {
                    throw new UnreadableTextException("not an integer");
                }
                if (value < Long.MIN_VALUE / 10 || value * 10 < Long.MIN_VALUE + digit) {
                    throw new UnreadableTextException("too many digits");
                }
                value = value * 10 - digit;
            }
            if (!negative && value == Long.MIN_VALUE) {
                throw new UnreadableTextException("out of range");
            }
            value = negative ? value : -value;
            if (value < min || value > max) {
                throw new UnreadableTextException("out of range");
            }
            visitor.int64(value);
        }
    }

    /** {@code numeric} and the floats: the server's digits are the canonical ones, they are only checked. */
    private record NumberReader(LogicalType type) implements ValueReader {

        @Override
        public void read(byte[] data, int from, int length, ValueVisitor visitor) {
            boolean decimal = type == LogicalType.DECIMAL;
            if (!Ascii.isName(data, from, length) && !isNumber(data, from, from + length, !decimal)) {
                throw new UnreadableTextException("not a number");
            }
            if (decimal) {
                visitor.decimal(data, from, length);
            } else {
                visitor.floating(data, from, length);
            }
        }

        private static boolean isNumber(byte[] data, int from, int end, boolean exponent) {
            int at = from < end && data[from] == '-' ? from + 1 : from;
            int next = Ascii.digits(data, at, end);
            if (next == at) {
                return false;
            }
            if (next < end && data[next] == '.') {
                at = next + 1;
                next = Ascii.digits(data, at, end);
                if (next == at) {
                    return false;
                }
            }
            if (exponent && next < end && data[next] == 'e') {
                at = next + 1;
                if (at < end && (data[at] == '+' || data[at] == '-')) {
                    at++;
                }
                next = Ascii.digits(data, at, end);
                if (next == at) {
                    return false;
                }
            }
            return next == end;
        }
    }

    /** {@code bytea} with {@code bytea_output = hex}. */
    private record HexReader() implements ValueReader {

        @Override
        public LogicalType type() {
            return LogicalType.BYTES;
        }

        @Override
        public void read(byte[] data, int from, int length, ValueVisitor visitor) {
            if (length < 2 || length % 2 != 0 || data[from] != '\\' || data[from + 1] != 'x') {
                throw new UnreadableTextException("not bytes in hexadecimal form");
            }
            byte[] raw = new byte[length / 2 - 1];
            for (int i = 0, at = from + 2; i < raw.length; i++, at += 2) {
                int high = Character.digit(data[at], 16);
                int low = Character.digit(data[at + 1], 16);
                if (high < 0 || low < 0) {
                    throw new UnreadableTextException("not a hexadecimal digit");
                }
                raw[i] = (byte) (high << 4 | low);
            }
            visitor.bytes(raw, 0, raw.length);
        }
    }
}
