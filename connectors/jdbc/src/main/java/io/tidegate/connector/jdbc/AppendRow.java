package io.tidegate.connector.jdbc;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Origin;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/** The row that a change becomes in mode append. */
final class AppendRow {

    /** What is written of it; {@code seq} is given by the target. */
    static final List<String> COLUMNS = List.of(
            "op", "lineage", "ordinal", "position", "committed_at", "snapshot", "attempt", "catch_up", "change");

    private static final int MICROS = 1_000_000;

    private final CellStyle style;
    private final ChangeEncoder encoder;
    private final ByteBuilder text = new ByteBuilder(1 << 12);

    AppendRow(CellStyle style, ChangeEncoder encoder) {
        this.style = style;
        this.encoder = encoder;
    }

    /** The cells in the order of {@link #COLUMNS}. */
    Object[] of(Change change, String lineage, TargetTable table) {
        text.clear();
        encoder.encode(change, text);
        Origin origin = change.origin();
        byte[] ordinal = origin.ordinal();
        boolean snapshot = origin.attempt() > 0;
        String json = new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
        return new Object[] {
            change.op().code(),
            lineage,
            ordinal.length == 0
                    ? null
                    : style.bytes(ordinal, 0, ordinal.length, table.columns().get(2)),
            origin.position(),
            style.temporal(
                    io.tidegate.spi.LogicalType.TIMESTAMP_ZONED,
                    time(origin.committedAtMicros()),
                    table.columns().get(4)),
            snapshot ? origin.position() : null,
            snapshot ? Integer.toString(origin.attempt()) : null,
            style.bool(origin.catchUp()),
            json
        };
    }

    private static String time(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1_000L)
                .toString();
    }
}
