package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.GateLimits;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a gate promises, in its simplest form: everything that was ever said is kept, and each answer is worked out from
 * scratch. A marker is an item like a batch that is settled at once; so it needs no rule for riding.
 */
final class GateModel {

    /** Something a split gave, in order; {@code place} is null inside a transaction. */
    private static final class Item {
        final Place place;
        final long bytes;
        final boolean batch;
        boolean settled;

        Item(Place place, long bytes, boolean batch) {
            this.place = place;
            this.bytes = bytes;
            this.batch = batch;
            settled = !batch;
        }
    }

    private final GateLimits limits;
    final Map<String, SplitPlan> plans = new LinkedHashMap<>();
    private final Map<String, List<Item>> items = new LinkedHashMap<>();
    private final Set<String> finished = new HashSet<>();
    private final Map<String, SplitProgress> durable = new LinkedHashMap<>();

    GateModel(GateLimits limits) {
        this.limits = limits;
    }

    void plan(List<SplitPlan> more) {
        for (SplitPlan plan : more) {
            plans.put(plan.id(), plan);
            items.put(plan.id(), new ArrayList<>());
        }
    }

    void batch(String id, Place place, long bytes) {
        items.get(id).add(new Item(place, bytes, true));
    }

    void marker(String id, Place place) {
        items.get(id).add(new Item(place, 0, false));
    }

    void settle(String id, int sequence) {
        items.get(id).stream().filter(item -> item.batch).toList().get(sequence).settled = true;
    }

    void finish(String id) {
        finished.add(id);
    }

    void wrote(GateWrite write) {
        for (SplitPlan plan : write.planned()) {
            durable.put(plan.id(), new SplitProgress(plan.id(), plan.start(), false));
        }
        for (SplitProgress progress : write.progress()) {
            durable.put(progress.id(), progress);
        }
    }

    /** The place of the last item in front of the first unsettled one. */
    SplitProgress progress(String id) {
        Place frontier = (Place) plans.get(id).start();
        for (Item item : items.get(id)) {
            if (!item.settled) {
                return new SplitProgress(id, frontier, false);
            }
            frontier = item.place == null ? frontier : item.place;
        }
        return new SplitProgress(id, frontier, finished.contains(id));
    }

    /** What a write has to hold now: everything that the store does not. */
    GateWrite due() {
        List<SplitPlan> planned = new ArrayList<>();
        List<SplitProgress> changed = new ArrayList<>();
        for (SplitPlan plan : plans.values()) {
            SplitProgress stored = durable.get(plan.id());
            if (stored == null) {
                planned.add(plan);
            } else if (!stored.equals(progress(plan.id()))) {
                changed.add(progress(plan.id()));
            }
        }
        return new GateWrite(planned, changed);
    }

    Set<String> open() {
        Set<String> open = new HashSet<>();
        for (SplitPlan plan : plans.values()) {
            boolean free = plan.after().stream()
                    .allMatch(id -> durable.containsKey(id) && durable.get(id).done());
            if (durable.containsKey(plan.id()) && free) {
                open.add(plan.id());
            }
        }
        return open;
    }

    boolean reading(String id) {
        return open().contains(id) && !finished.contains(id);
    }

    List<Integer> unsettled(String id) {
        List<Item> batches = items.get(id).stream().filter(item -> item.batch).toList();
        List<Integer> unsettled = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            if (!batches.get(i).settled) {
                unsettled.add(i);
            }
        }
        return unsettled;
    }

    int batches(String id) {
        return (int) items.get(id).stream().filter(item -> item.batch).count();
    }

    int inFlight() {
        int sum = 0;
        for (String id : plans.keySet()) {
            List<Integer> unsettled = unsettled(id);
            sum += unsettled.isEmpty() ? 0 : batches(id) - unsettled.get(0);
        }
        return sum;
    }

    long bytesInFlight() {
        return items.values().stream()
                .flatMap(List::stream)
                .filter(item -> !item.settled)
                .mapToLong(item -> item.bytes)
                .sum();
    }

    boolean room() {
        return inFlight() == 0 || (inFlight() < limits.batchesMax() && bytesInFlight() < limits.bytesMax());
    }
}
