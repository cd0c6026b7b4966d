package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.value.TableShape;
import io.tidegate.connector.postgres.value.TextRow;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The columns of one TupleData: where each text lies in the message, or why there is none. */
final class Tuple {

    private final int[] offsets;
    private final int[] lengths;

    private Tuple(int[] offsets, int[] lengths) {
        this.offsets = offsets;
        this.lengths = lengths;
    }

    int[] offsets() {
        return offsets;
    }

    int[] lengths() {
        return lengths;
    }

    static Tuple parse(MessageCursor message, int columns) {
        int count = message.int16();
        if (count != columns) {
            throw message.malformed("it has " + count + " columns, its table " + columns);
        }
        int[] offsets = new int[columns];
        int[] lengths = new int[columns];
        for (int i = 0; i < columns; i++) {
            int kind = message.int8();
            switch (kind) {
                case 'n' -> lengths[i] = TextRow.NULL;
                case 'u' -> lengths[i] = TextRow.UNCHANGED;
                case 't' -> {
                    int length = message.int32();
                    offsets[i] = message.at();
                    lengths[i] = length;
                    message.pass(length);
                }
                default -> throw message.malformed("a column is of the unknown kind " + kind);
            }
        }
        return new Tuple(offsets, lengths);
    }

    /** Whether a column kept a value which the log does not carry. */
    boolean hasUnchanged() {
        for (int length : lengths) {
            if (length == TextRow.UNCHANGED) {
                return true;
            }
        }
        return false;
    }

    /** The columns that kept a value which the log does not carry. */
    List<Integer> unchanged() {
        return IntStream.range(0, lengths.length)
                .filter(i -> lengths[i] == TextRow.UNCHANGED)
                .boxed()
                .toList();
    }

    /** The text of a column that has one. */
    byte[] text(byte[] data, int column) {
        return Arrays.copyOfRange(data, offsets[column], offsets[column] + lengths[column]);
    }

    /**
     * A row with other texts for some columns; this tuple stays as it is.
     *
     * @param texts by column; a column without one is null
     */
    TextRow with(List<Integer> columns, Map<Integer, byte[]> texts, TableShape table, byte[] data) {
        int length = data.length;
        for (byte[] text : texts.values()) {
            length = Math.addExact(length, text.length);
        }
        byte[] all = Arrays.copyOf(data, length);
        int[] rowOffsets = offsets.clone();
        int[] rowLengths = lengths.clone();
        int at = data.length;
        for (int column : columns) {
            byte[] text = texts.get(column);
            rowOffsets[column] = at;
            rowLengths[column] = text == null ? TextRow.NULL : text.length;
            if (text != null) {
                System.arraycopy(text, 0, all, at, text.length);
                at += text.length;
            }
        }
        return table.row(all, rowOffsets, rowLengths);
    }

    /**
     * Of a key tuple: it has nulls outside the identity, which say nothing of the columns (fact 4). A column of the identity
     * is never null; one that is was not logged, because the row's partition has another identity.
     */
    void keepOnly(List<Boolean> flagged) {
        for (int i = 0; i < lengths.length; i++) {
            if (!flagged.get(i)) {
                lengths[i] = TextRow.ABSENT;
            }
        }
        forgetNulls();
    }

    /** Where a null can mean that the column was not logged. */
    void forgetNulls() {
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] == TextRow.NULL) {
                lengths[i] = TextRow.ABSENT;
            }
        }
    }

    /** Takes what this tuple says is unchanged from the old one, if that has it (fact 3). */
    void completeFrom(Tuple old) {
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] == TextRow.UNCHANGED && old.lengths[i] >= 0) {
                lengths[i] = old.lengths[i];
                offsets[i] = old.offsets[i];
            }
        }
    }
}
