package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitProgress;
import io.tidegate.testkit.explore.Echoes.DeadHandOver;
import org.jspecify.annotations.Nullable;

/** The invariants, as questions to a world. Each answers what is wrong, beginning with the invariant's number, or null. */
final class Checks {

    /** How each answer of {@link #stuck} begins. */
    static final String STUCK = "stuck: ";

    private Checks() {}

    static @Nullable String opening(World world, Run run, int split, @Nullable Position from) {
        Ground ground = world.ground;
        String id = world.configuration.script(split).id();
        if (run.readings[split] != null) {
            return "I2: " + id + " was opened twice";
        }
        if (ground.stored[split] == null) {
            return "I17: " + id + " was opened before its plan was durable";
        }
        if (ground.done(split)) {
            return "I6: " + id + " was opened although it is done";
        }
        if (!ground.doneBefore(split)) {
            return "I6: " + id + " was opened before those before it were durably done";
        }
        if (Place.items(from) < ground.pruned[split]) {
            return "I3: " + id + " is read from " + from + ", upstream has pruned to " + ground.pruned[split];
        }
        return null;
    }

    static @Nullable String handOver(World world, int split, boolean refusedBefore) {
        if (refusedBefore) {
            return "I10: a batch was accepted behind a refused one";
        }
        for (int parent : world.configuration.before[split]) {
            if (!world.ground.done(parent) || !world.ground.deliveredWhole(parent)) {
                return "I4: " + world.configuration.script(split).id() + " is delivered before what comes before it";
            }
        }
        return null;
    }

    /** All rows of a split and of those after it have one key: the strictest case. */
    static @Nullable String lateLanding(Configuration configuration, Run run, DeadHandOver batch) {
        for (int split = 0; split < run.readings.length; split++) {
            Reading reading = run.readings[split];
            if (reading == null) {
                continue;
            }
            boolean newer = split == batch.split()
                    ? reading.landedUpTo() > batch.to()
                    : configuration.follows(split, batch.split()) && reading.landedUpTo() > 0;
            if (newer) {
                return "I4: a late hand-over of a dead session landed behind a newer delivery of its key";
            }
        }
        return null;
    }

    static @Nullable String everyState(World world) {
        for (int split = 0; split < world.configuration.size(); split++) {
            String wrong = stored(world, split);
            if (wrong != null) {
                return wrong;
            }
        }
        Run run = world.run;
        return run == null ? null : live(world, run);
    }

    private static @Nullable String stored(World world, int split) {
        Ground ground = world.ground;
        SplitProgress stored = ground.stored[split];
        if (stored == null) {
            return null;
        }
        Script script = world.configuration.script(split);
        int place = Place.items(stored.position());
        long needed = script.rows(script.start(), Math.max(script.start(), place));
        if ((ground.delivered[split] & needed) != needed) {
            return "I3: the store holds " + stored + ", a change before it was not delivered";
        }
        if (place > 0 && !script.boundary(place)) {
            return "I5: the store holds " + stored + ", inside a transaction";
        }
        if (stored.done() && !ground.deliveredWhole(split)) {
            return "I6: the store holds " + stored + ", a change was not delivered";
        }
        if (ground.pruned[split] > place) {
            return "I1: upstream has pruned to " + ground.pruned[split] + ", the store holds " + stored;
        }
        return null;
    }

    private static @Nullable String live(World world, Run run) {
        Gate gate = run.gate;
        for (int split = 0; split < run.readings.length; split++) {
            int handle = run.handle(split);
            SplitProgress persisted = handle < 0 ? null : gate.persisted(handle);
            if (persisted != null) {
                String wrong = order(world, gate, split, handle);
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        if (gate.deadline() > run.stopBy) {
            return "I12: a stop has no bound";
        }
        if (gate.deadline() < world.now && world.writing == null) {
            return "I8: what is due is not done";
        }
        return room(world.configuration, run);
    }

    private static @Nullable String order(World world, Gate gate, int split, int handle) {
        int frontier = Place.items(gate.frontier(handle));
        SplitProgress persisted = gate.persisted(handle);
        SplitProgress acknowledged = gate.acknowledged(handle);
        SplitProgress stored = world.ground.stored[split];
        int persistedPlace = persisted == null ? 0 : Place.items(persisted.position());
        int acknowledgedPlace = acknowledged == null ? 0 : Place.items(acknowledged.position());
        int storedPlace = stored == null ? -1 : Place.items(stored.position());
        boolean ordered =
                frontier >= persistedPlace && persistedPlace >= acknowledgedPlace && storedPlace >= persistedPlace;
        return ordered
                ? null
                : "I2: frontier " + frontier + ", persisted " + persistedPlace + ", acknowledged " + acknowledgedPlace
                        + ", durable " + storedPlace;
    }

    private static @Nullable String room(Configuration configuration, Run run) {
        int batches = 0;
        int bytes = 0;
        for (Reading reading : run.readings) {
            if (reading != null) {
                batches += reading.inFlight();
                bytes += reading.bytesInFlight();
            }
        }
        if (run.gate.batchesInFlight() != batches || run.gate.bytesInFlight() != bytes) {
            return "I15: " + batches + " batches with " + bytes + " bytes are in flight, the gate counts "
                    + run.gate.batchesInFlight() + " with " + run.gate.bytesInFlight();
        }
        boolean room = batches == 0
                || (batches < configuration.limits.batchesMax() && bytes < configuration.limits.bytesMax());
        return run.gate.room() == room ? null : "I15: room is " + run.gate.room() + " with " + batches + " batches";
    }

    /** Called when a session has ended, before it is forgotten. */
    static @Nullable String end(World world, Run run, GateEnd how) {
        Gate gate = run.gate;
        for (int handle = 0; handle < gate.size(); handle++) {
            SplitProgress persisted = gate.persisted(handle);
            if (world.writing == null
                    && persisted != null
                    && Place.items(gate.frontier(handle)) != Place.items(persisted.position())) {
                return "I10: a session ended and did not write what is settled";
            }
        }
        return how == GateEnd.STOPPED ? stopped(world, run) : null;
    }

    private static @Nullable String stopped(World world, Run run) {
        if (world.writing != null) {
            return "I12: a session stopped during a write";
        }
        for (int split = 0; split < run.readings.length; split++) {
            Reading reading = run.readings[split];
            if (reading == null) {
                continue;
            }
            if (reading.inFlight() > 0) {
                return "I12: a session stopped with a batch in flight";
            }
            if (reading.due != null || reading.taken != null) {
                return "I9: a session stopped before an acknowledgement was confirmed";
            }
            SplitProgress stored = world.ground.stored[split];
            int place = stored == null ? 0 : Place.items(stored.position());
            if (place > reading.script.start() && world.ground.pruned[split] != place) { // its start it knows
                return "I9: a session stopped and upstream was not told";
            }
        }
        return null;
    }

    /** Asked where nothing makes progress any more: is everything done? */
    static @Nullable String stuck(World world) {
        Ground ground = world.ground;
        for (int split = 0; split < world.configuration.size(); split++) {
            if (!ground.wanted(split)) {
                continue;
            }
            Script script = world.configuration.script(split);
            SplitProgress stored = ground.stored[split];
            if (!ground.deliveredWhole(split)) {
                return STUCK + script.id() + " was not delivered";
            }
            if (stored == null || (script.finite() && !stored.done())) {
                return STUCK + script.id() + " is not durably done";
            }
            if (Place.items(stored.position()) != script.end()) {
                return STUCK + "the store holds " + stored;
            }
            if (ground.pruned[split] != script.end()) {
                return STUCK + "I9: upstream of " + script.id() + " was told " + ground.pruned[split];
            }
        }
        return null;
    }
}
