package io.tidegate.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether what the sink holds is all that was committed, in order, and gives the source's tables.
 *
 * @param faults what is wrong; empty if nothing is
 * @param again changes of the log that came more than once
 * @param summary how much there was, for people
 */
record Verdict(List<String> faults, int again, String summary) {

    private static final int FAULTS_SHOWN = 20;
    private static final int CHARACTERS_SHOWN = 500;

    /**
     * @param lines all that the sink holds, in order
     * @param committed the entries of the {@link Ledger} that the source has
     * @param tables a complete snapshot of the source's tables, as lines
     */
    static Verdict of(Stream<String> lines, Set<Long> committed, Stream<String> tables) {
        LogOrder order = new LogOrder();
        Ledger ledger = new Ledger();
        Replay replay = new Replay();
        List<String> faults = new ArrayList<>();
        int[] count = {0};
        lines.forEach(text -> {
            count[0]++;
            Delivered line;
            try {
                line = Delivered.parse(text);
            } catch (IllegalArgumentException e) {
                faults.add("line " + count[0] + ": " + e.getMessage());
                return;
            }
            if (order.take(line)) {
                replay.apply(line);
                if (line.inLog()) {
                    ledger.logged(line);
                } else {
                    ledger.snapshot(line);
                }
            }
        });
        Replay expected = new Replay();
        tables.map(Delivered::parse).forEach(expected::apply);

        faults.addAll(order.faults());
        faults.addAll(ledger.faults(committed));
        faults.addAll(replay.faults());
        faults.addAll(replay.differences(expected));
        faults.addAll(expected.faults());
        return new Verdict(
                faults,
                order.duplicates(),
                "%d lines: %d snapshot attempts, %d transactions of %d changes in the log, %d lines again in %d returns; %d rows"
                        .formatted(
                                count[0],
                                order.attempt(),
                                ledger.transactions(),
                                order.log().size(),
                                order.duplicates(),
                                order.returns(),
                                replay.rows()));
    }

    String text() {
        return summary + "\n"
                + faults.stream()
                        .limit(FAULTS_SHOWN)
                        .map(fault -> fault.substring(0, Math.min(CHARACTERS_SHOWN, fault.length())))
                        .collect(Collectors.joining("\n"))
                + (faults.size() > FAULTS_SHOWN ? "\nand " + (faults.size() - FAULTS_SHOWN) + " more" : "");
    }
}
