package io.tidegate.spi;

import org.jspecify.annotations.Nullable;

/**
 * One row-level insert, update, delete, truncate, message or snapshot read, with what the log carries of before and
 * after. Immutable.
 *
 * <ul>
 *   <li>{@code CREATE} and {@code READ} have {@code after} only, {@code DELETE} has {@code before} only (what the log has
 *       of it: the key at least, for a keyed table), {@code TRUNCATE} has neither.
 *   <li>{@code UPDATE} has {@code after}; {@code before} if the log carries it, and always if the key changed.
 *   <li>{@code MESSAGE} has a row of the source's own schema in {@code after}.
 * </ul>
 *
 * @param size bytes this change is counted with against limits
 */
public record Change(
        Op op,
        TableSchema table,
        @Nullable Row before,
        @Nullable Row after,
        Origin origin,
        int size) {

    /** The row that holds this change's key: the new one, or of a delete the old one; null for a truncate. */
    public @Nullable Row keyRow() {
        return op == Op.DELETE ? before : after;
    }
}
