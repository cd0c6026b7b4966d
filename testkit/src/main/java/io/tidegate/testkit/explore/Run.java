package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.Batcher;
import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateDigest;
import io.tidegate.engine.gate.GateEffects;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.gate.GateTwin;
import io.tidegate.spi.SplitProgress;
import io.tidegate.testkit.explore.Script.Found;
import org.jspecify.annotations.Nullable;

/** A session that lives: the gate, and what is read, on its way and to be acknowledged. */
final class Run {

    private final Configuration configuration;
    private final int session;
    final Gate gate;
    /** For each split that was opened. */
    final @Nullable Reading[] readings;

    boolean planned;
    boolean plannedLater;
    /** Until when a stop that was asked for must have ended the session. */
    long stopBy = Gate.NEVER;

    /** The store has just confirmed a write, and the gate is being told. */
    boolean confirming;

    @Nullable
    GateEnd ended;

    Run(Configuration configuration, Gate gate, int session, Ground ground) {
        this.configuration = configuration;
        this.gate = gate;
        this.session = session;
        readings = new @Nullable Reading[configuration.size()];
        planned = configuration.has(Trait.PREPARED) || ground.knows(configuration.birth);
        plannedLater = configuration.later.isEmpty() || ground.knows(configuration.later);
    }

    Run(Run other, GateEffects effects) {
        configuration = other.configuration;
        session = other.session;
        gate = GateTwin.of(other.gate, effects);
        readings = new @Nullable Reading[other.readings.length];
        for (int i = 0; i < readings.length; i++) {
            Reading reading = other.readings[i];
            readings[i] = reading == null ? null : new Reading(reading);
        }
        planned = other.planned;
        plannedLater = other.plannedLater;
        stopBy = other.stopBy;
        confirming = other.confirming;
        ended = other.ended;
    }

    void choices(Ground ground, Choices choices) {
        if (!planned || (!plannedLater && laterKnown(ground))) {
            choices.add(Step.PLAN);
        }
        for (int split = 0; split < readings.length; split++) {
            Reading reading = readings[split];
            if (reading != null) {
                choices(reading, split, choices);
            }
        }
        if (gate.deadline() != Gate.NEVER) {
            choices.add(Step.TICK);
        }
    }

    private void choices(Reading reading, int split, Choices choices) {
        int changes = reading.batcher.changes();
        if (!reading.finished) {
            if (!reading.atEnd()
                    && (changes < configuration.changesPerBatch || reading.script.marker(reading.cursor))) {
                choices.add(Step.READ.at(split));
            }
            if (changes > 0 && gate.room()) {
                choices.add(Step.CUT.at(split));
            }
            if (reading.atEnd() && reading.script.finite() && changes == 0) {
                choices.add(Step.FINISH.at(split));
            }
        }
        boolean twoSteps = configuration.has(Trait.TWO_STEPS);
        for (int b = 0; b < reading.batches; b++) {
            if (reading.state[b] == Reading.HANDED_OVER) {
                choices.add((twoSteps ? Step.SINK_DURABLE : Step.SETTLE).at(split, b));
            } else if (reading.state[b] == Reading.DURABLE) {
                choices.add(Step.SETTLE.at(split, b));
            }
        }
        if (twoSteps && reading.taken == null && reading.due != null) {
            choices.add(Step.ACKNOWLEDGE_TAKEN.at(split));
        }
        if (twoSteps ? reading.taken != null : reading.due != null) {
            choices.add(Step.ACKNOWLEDGE.at(split));
        }
    }

    private boolean laterKnown(Ground ground) {
        for (int split = 0; split < readings.length; split++) {
            if (configuration.script(split).found() == Found.WHILE_READING) {
                for (int parent : configuration.before[split]) {
                    Reading reading = readings[parent];
                    boolean read = ground.done(parent) || (reading != null && reading.finished);
                    if (!read && configuration.script(parent).found() == Found.AT_BIRTH) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    void apply(int step, World world) {
        Step kind = Step.kind(step);
        int split = Step.split(step);
        if (kind == Step.PLAN) {
            plan();
            return;
        }
        if (kind == Step.FAIL) {
            gate.failed(session, World.FAULT);
            return;
        }
        if (kind == Step.STOP) {
            if (stopBy == Gate.NEVER) {
                stopBy = world.now + configuration.limits.stopTimeout();
            }
            gate.stop();
            return;
        }
        Reading reading = readings[split];
        if (reading == null) {
            throw new IllegalArgumentException("split " + split + " is not open");
        }
        switch (kind) {
            case READ -> read(reading);
            case CUT -> cut(reading, split, world);
            case FINISH -> {
                reading.finished = true;
                gate.finished(session, reading.handle);
            }
            case SINK_DURABLE -> land(reading, split, Step.batch(step), world);
            case SETTLE -> {
                int batch = Step.batch(step);
                land(reading, split, batch, world);
                reading.state[batch] = Reading.SETTLED;
                gate.settled(session, reading.handle, batch, Long.bitCount(reading.rows(batch)));
            }
            case ACKNOWLEDGE_TAKEN, ACKNOWLEDGE -> acknowledge(reading, split, kind, world.ground);
            default -> throw new IllegalArgumentException(kind + " is not a step of a session");
        }
    }

    private void plan() {
        if (planned) {
            plannedLater = true;
            gate.planned(session, configuration.later);
        } else {
            planned = true;
            gate.planned(session, configuration.birth);
        }
    }

    private void read(Reading reading) {
        int item = reading.cursor++;
        char kind = reading.script.item(item);
        Place after = Place.at(item + 1);
        if (kind == 'm') {
            if (!reading.batcher.rides(after)) {
                gate.marker(session, reading.handle, after);
                reading.batchStart = reading.cursor;
            }
        } else {
            reading.batcher.change(kind == 'c' ? after : null, 1);
        }
    }

    private void cut(Reading reading, int split, World world) {
        boolean refusedBefore = reading.refused();
        Batcher.Cut cut = reading.batcher.cut();
        boolean accepted =
                gate.tracked(session, reading.handle, cut.sequence(), cut.resume(), cut.changes(), cut.bytes());
        reading.handOver(accepted);
        if (accepted) {
            world.report(Checks.handOver(world, split, refusedBefore));
        }
    }

    private static void land(Reading reading, int split, int batch, World world) {
        if (reading.state[batch] == Reading.HANDED_OVER) {
            reading.state[batch] = Reading.DURABLE;
            world.ground.deliver(split, reading.rows(batch));
        }
    }

    private void acknowledge(Reading reading, int split, Step kind, Ground ground) {
        SplitProgress progress = reading.taken;
        if (progress == null) {
            progress = reading.due;
            reading.due = null;
        }
        if (progress == null) {
            throw new IllegalStateException("nothing is to be acknowledged");
        }
        ground.prune(split, progress);
        reading.taken = kind == Step.ACKNOWLEDGE_TAKEN ? progress : null;
        if (kind == Step.ACKNOWLEDGE) {
            gate.acknowledged(session, reading.handle, progress);
        }
    }

    /** The gate's number for a split, or -1. */
    int handle(int split) {
        String id = configuration.script(split).id();
        for (int handle = 0; handle < gate.size(); handle++) {
            if (gate.plan(handle).id().equals(id)) {
                return handle;
            }
        }
        return -1;
    }

    void digest(Fold fold, GateDigest digest) {
        fold.accept((planned ? 1 : 2) + (plannedLater ? 4 : 8) + (stopBy == Gate.NEVER ? 32 : 16));
        for (Reading reading : readings) {
            fold.accept(reading == null ? 0 : 1);
            if (reading != null) {
                reading.digest(fold, digest);
            }
        }
        digest.add(gate);
    }
}
