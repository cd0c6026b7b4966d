package io.tidegate.testkit.explore;

import io.tidegate.spi.SplitPlan;
import java.util.List;

/**
 * What a split has to give.
 *
 * @param items one letter each: {@code r} a row inside a transaction, {@code c} a row that ends one, {@code m} a marker
 * @param finite it ends behind its last item; otherwise its reader waits for more that never comes
 */
record Script(SplitPlan plan, String items, boolean finite, Found found) {

    /** How a source comes to know a split. */
    enum Found {
        /** Planned before anything is read. */
        AT_BIRTH,
        /** When the splits before it that were planned at birth are read. */
        WHILE_READING,
        /** By a replan, which forgets the splits that were planned at birth. */
        BY_REPLAN
    }

    Script {
        if (items.length() > Place.MAX) {
            throw new IllegalArgumentException("a script has at most " + Place.MAX + " items");
        }
    }

    static Script chunk(String id, String items, String... after) {
        return new Script(new SplitPlan(id, List.of(after), null, ""), items, true, Found.AT_BIRTH);
    }

    static Script log(String id, String items, String... after) {
        return new Script(new SplitPlan(id, List.of(after), null, ""), items, false, Found.AT_BIRTH);
    }

    Script found(Found how) {
        return new Script(plan, items, finite, how);
    }

    /** The same, read only from behind that many items. */
    Script from(int start) {
        return new Script(new SplitPlan(plan.id(), plan.after(), Place.at(start), ""), items, finite, found);
    }

    String id() {
        return plan.id();
    }

    int start() {
        return Place.items(plan.start());
    }

    int length() {
        return items.length();
    }

    char item(int index) {
        return items.charAt(index);
    }

    boolean marker(int index) {
        return item(index) == 'm';
    }

    /** Whether reading may start at this place: not inside a transaction (I5). */
    boolean boundary(int place) {
        return place == start() || (place > 0 && item(place - 1) != 'r');
    }

    /** The rows from {@code from} (inclusive) to {@code to} (exclusive), one bit each. */
    long rows(int from, int to) {
        long rows = 0;
        for (int i = from; i < to; i++) {
            if (!marker(i)) {
                rows |= 1L << i;
            }
        }
        return rows;
    }

    /** All rows that have to be delivered. */
    long all() {
        return rows(start(), length());
    }

    /** The newest place that can be resumed from when everything was read; 0 if there is none. */
    int end() {
        return Math.max(start(), 1 + Math.max(items.lastIndexOf('m'), items.lastIndexOf('c')));
    }
}
