package io.tidegate.simulation.stage;

import io.tidegate.testkit.disk.DiskEvent;
import java.util.Map;
import java.util.TreeMap;

/** Counts of faults and of what happened, of one run or of many. */
public final class Tally {

    private final Map<String, Long> counts = new TreeMap<>();

    public Tally() {
        for (Fault fault : Fault.values()) {
            counts.put(name(fault), 0L);
        }
        for (Seen seen : Seen.values()) {
            counts.put(name(seen), 0L);
        }
        for (DiskEvent event : DiskEvent.values()) {
            counts.put(name(event), 0L);
        }
    }

    void count(Fault fault) {
        add(name(fault), 1);
    }

    public void count(Seen seen) {
        add(name(seen), 1);
    }

    public void count(Map<DiskEvent, Long> events) {
        events.forEach((event, times) -> add(name(event), times));
    }

    public void add(Tally other) {
        other.counts.forEach(this::add);
    }

    private void add(String name, long times) {
        counts.merge(name, times, Long::sum);
    }

    /** By name: {@code fault …}, {@code seen …}, {@code disk …}. */
    public Map<String, Long> counts() {
        return new TreeMap<>(counts);
    }

    private static String name(Fault fault) {
        return "fault " + fault;
    }

    private static String name(Seen seen) {
        return "seen " + seen;
    }

    private static String name(DiskEvent event) {
        return "disk " + event;
    }
}
