package io.tidegate.connector.postgres.value;

import io.tidegate.spi.LogicalType;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;

/**
 * Dates and times, from the server's ISO style to ISO 8601: {@code T} between date and time, years before our era
 * astronomical (1 BC is {@code 0000}, 44 BC is {@code -0043}), years beyond 9999 with a sign, timestamps with zone in
 * UTC with {@code Z}, offsets of times as {@code Z} or {@code +HH:MM[:SS]}. Fractions of a second stay as they are, and
 * so does {@code 24:00:00}. The calendar is the server's own, proleptic Gregorian: fields are copied, never converted,
 * unless a zone has to be taken out.
 */
record TemporalReader(LogicalType type, Parts parts) implements ValueReader {

    /** What a text consists of. */
    enum Parts {
        DATE,
        TIME,
        TIME_ZONED,
        TIMESTAMP,
        TIMESTAMP_ZONED
    }

    private static final byte[] INFINITY = "infinity".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] MINUS_INFINITY = "-infinity".getBytes(StandardCharsets.US_ASCII);

    @Override
    public void read(byte[] data, int from, int length, ValueVisitor visitor) {
        boolean dated = parts != Parts.TIME && parts != Parts.TIME_ZONED;
        if (dated && (Ascii.equal(data, from, length, INFINITY) || Ascii.equal(data, from, length, MINUS_INFINITY))) {
            visitor.text(type, data, from, length);
            return;
        }
        Scan scan = new Scan(data, from, from + length);
        IsoText text = new IsoText(length + 8);
        switch (parts) {
            case DATE -> {
                scan.date();
                scan.era();
                text.date(scan);
            }
            case TIME -> {
                scan.time();
                text.time(scan);
            }
            case TIME_ZONED -> {
                scan.time();
                scan.offset();
                text.time(scan);
                text.offset(scan.offsetSeconds);
            }
            case TIMESTAMP -> {
                scan.date();
                scan.expect(' ');
                scan.time();
                scan.era();
                text.date(scan).put('T').time(scan);
            }
            case TIMESTAMP_ZONED -> {
                scan.date();
                scan.expect(' ');
                scan.time();
                scan.offset();
                scan.era();
                scan.toUtc();
                text.date(scan).put('T').time(scan).put('Z');
            }
        }
        scan.end();
        visitor.text(type, text.bytes, 0, text.length);
    }

    /** Reads the fields of one text, strictly, from left to right. */
    private static final class Scan {

        private final byte[] data;
        private final int end;
        private int at;

        private long year;
        private int month;
        private int day;
        private int hour;
        private int minute;
        private int second;
        private int fractionFrom;
        private int fractionEnd;
        private int offsetSeconds;

        Scan(byte[] data, int from, int end) {
            this.data = data;
            this.at = from;
            this.end = end;
        }

        void date() {
            int yearEnd = Ascii.digits(data, at, end);
            if (yearEnd - at < 4 || yearEnd - at > 7) {
                throw new UnreadableTextException("no year of four to seven digits");
            }
            for (; at < yearEnd; at++) {
                year = year * 10 + (data[at] - '0');
            }
            expect('-');
            month = two(1, 12);
            expect('-');
            day = two(1, 31);
        }

        void time() {
            hour = two(0, 24);
            expect(':');
            minute = two(0, 59);
            expect(':');
            second = two(0, 60);
            fractionFrom = at;
            if (at < end && data[at] == '.') {
                at = Ascii.digits(data, at + 1, end);
                if (at == fractionFrom + 1) {
                    throw new UnreadableTextException("no digits after the point");
                }
            }
            fractionEnd = at;
        }

        /** {@code +HH}, {@code +HH:MM} or {@code +HH:MM:SS}. */
        void offset() {
            boolean negative = at < end && data[at] == '-';
            if (!negative) {
                expect('+');
            } else {
                at++;
            }
            int seconds = two(0, 23) * 3600;
            if (at < end && data[at] == ':') {
                at++;
                seconds += two(0, 59) * 60;
                if (at < end && data[at] == ':') {
                    at++;
                    seconds += two(0, 59);
                }
            }
            offsetSeconds = negative ? -seconds : seconds;
        }

        void era() {
            if (year == 0) {
                throw new UnreadableTextException("there is no year 0 in this calendar");
            }
            if (at < end) {
                expect(' ');
                expect('B');
                expect('C');
                year = 1 - year;
            }
        }

        void toUtc() {
            if (offsetSeconds == 0) {
                return;
            }
            try {
                java.time.LocalDateTime utc = java.time.LocalDate.of((int) year, month, day)
                        .atStartOfDay()
                        .plusSeconds(hour * 3600L + minute * 60L + second - offsetSeconds);
                year = utc.getYear();
                month = utc.getMonthValue();
                day = utc.getDayOfMonth();
                hour = utc.getHour();
                minute = utc.getMinute();
                second = utc.getSecond();
            } catch (java.time.DateTimeException e) {
                throw new UnreadableTextException("not a date of the calendar");
            }
        }

        void expect(char c) {
            if (at >= end || data[at] != c) {
                throw new UnreadableTextException("'" + c + "' is missing");
            }
            at++;
        }

        void end() {
            if (at != end) {
                throw new UnreadableTextException("more text than a value of this type has");
            }
        }

        private int two(int min, int max) {
            if (Ascii.digits(data, at, Math.min(at + 2, end)) != at + 2) {
                throw new UnreadableTextException("two digits are missing");
            }
            int value = (data[at] - '0') * 10 + data[at + 1] - '0';
            if (value < min || value > max) {
                throw new UnreadableTextException("a field is out of range");
            }
            at += 2;
            return value;
        }
    }

    /** The text in the making. */
    private static final class IsoText {

        private final byte[] bytes;
        private int length;

        IsoText(int capacity) {
            bytes = new byte[capacity];
        }

        IsoText put(int c) {
            bytes[length++] = (byte) c;
            return this;
        }

        IsoText two(int value) {
            return put('0' + value / 10).put('0' + value % 10);
        }

        IsoText date(Scan scan) {
            long year = Math.abs(scan.year);
            if (scan.year < 0) {
                put('-');
            } else if (year > 9999) {
                put('+');
            }
            if (year > 9999) {
                long unit = 10_000;
                while (year / unit > 9) {
                    unit *= 10;
                }
                for (; unit > 1_000; unit /= 10) {
                    put((int) ('0' + year / unit % 10));
                }
            }
            int century = (int) (year / 100 % 100);
            return two(century)
                    .two((int) (year % 100))
                    .put('-')
                    .two(scan.month)
                    .put('-')
                    .two(scan.day);
        }

        IsoText time(Scan scan) {
            two(scan.hour).put(':').two(scan.minute).put(':').two(scan.second);
            int count = scan.fractionEnd - scan.fractionFrom;
            System.arraycopy(scan.data, scan.fractionFrom, bytes, length, count);
            length += count;
            return this;
        }

        IsoText offset(int offsetSeconds) {
            if (offsetSeconds == 0) {
                return put('Z');
            }
            int seconds = Math.abs(offsetSeconds);
            put(offsetSeconds < 0 ? '-' : '+').two(seconds / 3600).put(':').two(seconds / 60 % 60);
            return seconds % 60 == 0 ? this : put(':').two(seconds % 60);
        }
    }
}
