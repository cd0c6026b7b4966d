package io.tidegate.demo.compare;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What was delivered, line by line, over all processes of a pipeline.
 *
 * <p>A change of the log counts once, whenever it comes again; so does a row of the snapshot. It keeps each change's
 * content, some 150 bytes. Belongs to one thread at a time.
 */
public final class Delivery {

    private final Map<ChangeId, String> contents = new HashMap<>();
    private final Map<String, ReplayedTable> tables = new HashMap<>();
    private long duplicates;
    private long unlike;
    private long outOfOrder;
    private long newestCommitLsn;
    private int newestNumber;

    /**
     * Takes a whole line.
     *
     * @throws IllegalArgumentException if it is not one of the format {@code json}
     */
    public void line(String text) {
        DeliveredLine line = DeliveredLine.parse(text);
        ReplayedTable table = tables.computeIfAbsent(line.table(), name -> new ReplayedTable());
        if (line.source() instanceof DeliveredLine.InSnapshot snapshot) {
            if (line.op().equals("t")) {
                table.startAgain(snapshot.point());
            } else if (table.read(line, snapshot.point())) {
                duplicates++;
            }
        } else if (line.source() instanceof DeliveredLine.InLog log) {
            String earlier = contents.putIfAbsent(log.id(), line.content());
            if (earlier == null) {
                order(log);
                table.apply(line);
            } else if (earlier.equals(line.content())) {
                duplicates++;
            } else {
                unlike++;
            }
        }
    }

    /** A change that comes for the first time lies behind all that came before it. */
    private void order(DeliveredLine.InLog log) {
        int commits = Long.compareUnsigned(log.commitLsn(), newestCommitLsn);
        if (commits < 0 || (commits == 0 && log.id().number() <= newestNumber)) {
            outOfOrder++;
            return;
        }
        newestCommitLsn = log.commitLsn();
        newestNumber = log.id().number();
    }

    /** The highest point of a table's snapshot; 0 if no line of any was delivered. */
    public long highestPoint() {
        return tables.values().stream()
                .map(ReplayedTable::point)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .max()
                .orElse(0);
    }

    long duplicates() {
        return duplicates;
    }

    /** Lines that came again as something else. */
    long unlike() {
        return unlike;
    }

    long outOfOrder() {
        return outOfOrder;
    }

    Map<ChangeId, String> contents() {
        return contents;
    }

    Map<String, ReplayedTable> tables() {
        return tables;
    }
}
