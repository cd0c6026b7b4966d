package io.tidegate.simulation.check;

import io.tidegate.simulation.data.SimOrigin;
import io.tidegate.simulation.data.SimRow;
import io.tidegate.simulation.data.Tables;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Op;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A delivered change as a line of text.
 *
 * @param number of the upstream's change; 0 for what a snapshot gives
 * @param oldKey where the row was before; the same where it did not move
 * @param key of the row; {@link Ledger#EMPTIED} for what has none
 */
public record Line(long number, String split, Op op, int table, int oldKey, int key, long value) {

    /** Writes such lines. */
    public static final ChangeEncoder ENCODER = Line::encode;

    private static final int PARTS = 7;

    public static Line of(Change change) {
        SimOrigin origin = (SimOrigin) change.origin();
        SimRow row = (SimRow) change.keyRow();
        SimRow before = (SimRow) change.before();
        int key = row == null ? Ledger.EMPTIED : row.key();
        return new Line(
                origin.number(),
                origin.split(),
                change.op(),
                Tables.number(change.table()),
                before == null ? key : before.key(),
                key,
                row == null ? 0 : row.value());
    }

    private static void encode(Change change, ByteBuilder out) {
        byte[] text = of(change).text().getBytes(StandardCharsets.US_ASCII);
        out.put(text, 0, text.length);
    }

    private String text() {
        return "{" + number + " " + split + " " + op + " " + table + " " + oldKey + " " + key + " " + value + "}";
    }

    /** Nothing: it is torn. */
    static Optional<Line> parse(String text) {
        String[] parts = text.split(" ", -1);
        if (!text.startsWith("{") || !text.endsWith("}") || parts.length != PARTS) {
            return Optional.empty();
        }
        return Optional.of(new Line(
                Long.parseLong(parts[0].substring(1)),
                parts[1],
                Op.valueOf(parts[2]),
                Integer.parseInt(parts[3]),
                Integer.parseInt(parts[4]),
                Integer.parseInt(parts[5]),
                Long.parseLong(parts[6].substring(0, parts[6].length() - 1))));
    }

    /** What of it must keep its order: the changes of one table, or of one shard. */
    String lane() {
        return split.startsWith("s") ? split : "t" + table;
    }
}
