package io.tidegate.demo.compare;

/**
 * A change as the ledger has it.
 *
 * @param key the values of the key's columns in key order, with {@code /} between them
 */
public record CommittedChange(ChangeId id, String op, String table, String key) {

    /** What was done to which row. */
    String content() {
        return op + " " + table + " " + key;
    }
}
