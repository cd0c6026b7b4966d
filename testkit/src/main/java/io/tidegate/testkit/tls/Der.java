package io.tidegate.testkit.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Writes the few ASN.1 values of a certificate in DER (ITU-T X.690). */
final class Der {
    private static final DateTimeFormatter UTC_TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private Der() {}

    static byte[] sequence(byte[]... parts) {
        return tagged(0x30, parts);
    }

    static byte[] set(byte[]... parts) {
        return tagged(0x31, parts);
    }

    /** A context-specific constructed value, {@code [number] EXPLICIT}. */
    static byte[] explicit(int number, byte[]... parts) {
        return tagged(0xA0 | number, parts);
    }

    /** A context-specific primitive value, {@code [number] IMPLICIT}. */
    static byte[] implicit(int number, byte[] content) {
        return tagged(0x80 | number, content);
    }

    static byte[] integer(BigInteger value) {
        return tagged(0x02, value.toByteArray());
    }

    static byte[] bool(boolean value) {
        return tagged(0x01, new byte[] {(byte) (value ? 0xFF : 0)});
    }

    static byte[] octets(byte[] content) {
        return tagged(0x04, content);
    }

    static byte[] bits(byte[] content, int unusedBits) {
        return tagged(0x03, new byte[] {(byte) unusedBits}, content);
    }

    static byte[] text(String value) {
        return tagged(0x0C, value.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant value) {
        return tagged(0x17, UTC_TIME.format(value).getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] oid(Integer... arcs) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        List<Integer> list = List.of(arcs);
        content.write(list.get(0) * 40 + list.get(1));
        for (int arc : list.subList(2, list.size())) {
            for (int shift = 28; shift > 0; shift -= 7) {
                if (arc >>> shift != 0) {
                    content.write(0x80 | (arc >>> shift & 0x7F));
                }
            }
            content.write(arc & 0x7F);
        }
        return tagged(0x06, content.toByteArray());
    }

    private static byte[] tagged(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        value.write(tag);
        int length = content.size();
        if (length < 0x80) {
            value.write(length);
        } else if (length < 0x100) {
            value.write(0x81);
            value.write(length);
        } else {
            value.write(0x82);
            value.write(length >>> 8);
            value.write(length);
        }
        value.writeBytes(content.toByteArray());
        return value.toByteArray();
    }
}
