package io.tidegate.engine.store;

import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Positions;
import io.tidegate.spi.TidegateException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The bytes of one generation: {@code docs/formats/state-file.md}. A line that names the format, a record that names
 * pipeline and generation, a record with the whole checkpoint, and a record for each write since; each record is a line
 *
 * <pre>{@code checksum length sequence payload}</pre>
 *
 * whose checksum (CRC32C) covers the payload of record 0 too, so that a record of another file is not one of this. Pure.
 */
final class StateFile {

    private static final String MAGIC = "tidegate state, format ";
    private static final Pattern LATER = Pattern.compile(MAGIC + "[1-9][0-9]{0,8}\n");
    private static final int CHECKSUM_CHARS = 8;
    private static final int NUMBER_CHARS = 10;
    private static final int LENGTH_AT = CHECKSUM_CHARS + 1;
    private static final int SEQUENCE_AT = LENGTH_AT + NUMBER_CHARS + 1;
    private static final int PREFIX_BYTES = SEQUENCE_AT + NUMBER_CHARS + 1;

    /** Sequence number of the record that names pipeline and generation, and of the one that holds the checkpoint. */
    private static final int HEADER = 0;

    private static final int WHOLE = 1;

    /** The largest record, so that its length fits into its field and a file into an array. */
    private static final int PAYLOAD_BYTES_MAX = 1 << 30;

    private final String header;
    private final StateText text;
    private final Positions positions;

    StateFile(String pipeline, long generation, Positions positions) {
        this.header = new JsonWriter()
                .beginObject()
                .name("pipeline")
                .string(pipeline)
                .name("generation")
                .number(generation)
                .endObject()
                .toString();
        this.text = new StateText(positions, StateText.FORMAT);
        this.positions = positions;
    }

    /** A whole new file; its last sequence number is 1. */
    byte[] begin(Checkpoint checkpoint) {
        ByteBuffer first = ByteBuffer.wrap(firstLine(StateText.FORMAT).getBytes(StandardCharsets.US_ASCII));
        ByteBuffer named = ByteBuffer.wrap(record(HEADER, header));
        ByteBuffer whole = ByteBuffer.wrap(record(WHOLE, text.print(new StateWrite.Whole(checkpoint))));
        return ByteBuffer.allocate(first.remaining() + named.remaining() + whole.remaining())
                .put(first)
                .put(named)
                .put(whole)
                .array();
    }

    byte[] record(int sequence, StateWrite write) {
        return record(sequence, text.print(write));
    }

    private byte[] record(int sequence, String payload) {
        byte[] content = payload.getBytes(StandardCharsets.UTF_8);
        if (content.length > PAYLOAD_BYTES_MAX) {
            throw new TidegateException(
                    ErrorCode.STATE_WRITE,
                    "The state needs a record of " + content.length + " bytes: too many splits.");
        }
        byte[] bytes = new byte[PREFIX_BYTES + content.length + 1];
        String numbers = " " + padded(content.length) + " " + padded(sequence) + " ";
        System.arraycopy(numbers.getBytes(StandardCharsets.US_ASCII), 0, bytes, CHECKSUM_CHARS, numbers.length());
        System.arraycopy(content, 0, bytes, PREFIX_BYTES, content.length);
        bytes[bytes.length - 1] = '\n';
        String checksum = checksum(StateText.FORMAT, bytes, 0, bytes.length);
        System.arraycopy(checksum.getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, CHECKSUM_CHARS);
        return bytes;
    }

    /**
     * Reads a file that was whole when it got its name. What is behind its last whole record is a torn tail, the rest of
     * one write that was not forced, and counts for nothing; any other flaw is damage.
     *
     * @throws TidegateException {@link ErrorCode#STATE_DAMAGED}, naming file and offset, or {@link ErrorCode#STATE_NEWER}
     */
    Checkpoint read(Path file, byte[] bytes) {
        long format = format(file, bytes);
        StateText known = new StateText(positions, format);
        int at = firstLine(format).length();
        CheckpointBuilder builder = new CheckpointBuilder(Checkpoint.EMPTY, positions);
        int sequence = HEADER;
        while (at < bytes.length) {
            int end = endOfRecord(format, bytes, at);
            if (end < 0) {
                checkTornTail(file, bytes, at, new Place(format, sequence));
                break;
            }
            long found = number(bytes, at + SEQUENCE_AT);
            if (found != sequence) {
                throw damaged(file, at, "record " + found + " is there instead of " + sequence);
            }
            String payload = payload(file, bytes, at, end);
            if (sequence > HEADER) {
                replay(file, at, builder, known, new Numbered(sequence, payload));
            } else if (!payload.equals(header)) {
                throw damaged(file, at, "it says that it is " + payload + ", not " + header);
            }
            at = end;
            sequence++;
        }
        if (sequence <= WHOLE) {
            throw damaged(file, at, "its first checkpoint is not whole, as it was when the file got its name");
        }
        return builder.build();
    }

    /** Reads the format that the file says it has. */
    private long format(Path file, byte[] bytes) {
        String start = new String(bytes, 0, Math.min(bytes.length, 2 * MAGIC.length()), StandardCharsets.ISO_8859_1);
        if (!start.startsWith(MAGIC)) {
            throw damaged(file, 0, "it does not begin as a state file does");
        }
        boolean known = false;
        for (long format = 1; format <= StateText.FORMAT; format++) {
            if (start.startsWith(firstLine(format))) {
                return format;
            }
            known |= endOfRecord(format, bytes, start.indexOf('\n') + 1) > 0;
        }
        if (LATER.matcher(start).lookingAt() && !known) {
            throw new TidegateException(
                    ErrorCode.STATE_NEWER,
                    "The state file " + file + " was written by a later version of Tidegate: its first line is '"
                            + start.substring(0, start.indexOf('\n')) + "', and this version knows formats up to "
                            + StateText.FORMAT + ".");
        }
        throw damaged(file, MAGIC.length(), "it is of a format that this version of Tidegate does not know");
    }

    private static String firstLine(long format) {
        return MAGIC + format + "\n";
    }

    private record Place(long format, int sequence) {}

    private void checkTornTail(Path file, byte[] bytes, int at, Place torn) {
        for (int later = at + 1; later < bytes.length; later++) {
            if (endOfRecord(torn.format(), bytes, later) > 0) {
                throw damaged(
                        file,
                        at,
                        "record " + torn.sequence() + " is damaged, and a whole one follows at offset " + later);
            }
        }
    }

    private record Numbered(int sequence, String payload) {}

    private static void replay(Path file, int at, CheckpointBuilder builder, StateText text, Numbered record) {
        try {
            StateWrite write = text.parse(record.payload());
            if ((record.sequence() == WHOLE) != (write instanceof StateWrite.Whole)) {
                throw new IllegalArgumentException("a whole checkpoint is the first record and no other");
            }
            builder.apply(write);
        } catch (IllegalArgumentException | TidegateException e) {
            throw damaged(file, at, "record " + record.sequence() + " cannot be used: " + e.getMessage());
        }
    }

    private static String payload(Path file, byte[] bytes, int at, int end) {
        int length = end - at - PREFIX_BYTES - 1;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, at + PREFIX_BYTES, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw damaged(file, at, "the record there is not text");
        }
    }

    /** Where the record at {@code at} ends, or -1 if there is no whole one of this file there. */
    private int endOfRecord(long format, byte[] bytes, int at) {
        if (bytes.length - at < PREFIX_BYTES + 1
                || bytes[at + LENGTH_AT - 1] != ' '
                || bytes[at + SEQUENCE_AT - 1] != ' '
                || bytes[at + PREFIX_BYTES - 1] != ' ') {
            return -1;
        }
        long length = number(bytes, at + LENGTH_AT);
        long end = at + PREFIX_BYTES + length + 1;
        if (length < 0 || end > bytes.length || bytes[(int) end - 1] != '\n') {
            return -1;
        }
        String written = new String(bytes, at, CHECKSUM_CHARS, StandardCharsets.ISO_8859_1);
        return written.equals(checksum(format, bytes, at, (int) end)) ? (int) end : -1;
    }

    /** From format 2 on it begins with the first line, so that a record of one format is none of another. */
    private String checksum(long format, byte[] bytes, int at, int end) {
        CRC32C sum = new CRC32C();
        if (format > 1) {
            sum.update(firstLine(format).getBytes(StandardCharsets.US_ASCII));
        }
        if (number(bytes, at + SEQUENCE_AT) != HEADER) {
            sum.update(header.getBytes(StandardCharsets.UTF_8));
        }
        sum.update(bytes, at + CHECKSUM_CHARS, end - at - CHECKSUM_CHARS);
        return String.format(Locale.ROOT, "%08x", sum.getValue());
    }

    /** A number of ten digits, or -1. */
    private static long number(byte[] bytes, int at) {
        long value = 0;
        for (int i = at; i < at + NUMBER_CHARS; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return -1;
            }
            value = value * 10 + bytes[i] - '0';
        }
        return value;
    }

    private static String padded(int number) {
        return String.format(Locale.ROOT, "%0" + NUMBER_CHARS + "d", number);
    }

    private static TidegateException damaged(Path file, int offset, String what) {
        return new TidegateException(
                ErrorCode.STATE_DAMAGED,
                "The state file " + file + " is damaged at offset " + offset + ": " + what + ".");
    }
}
