package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.Gate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the last dead session of this process can still say and do. What it says changes nothing, so it may say it any
 * number of times. What it does is over before another session opens: that is a rule of the runtime (I2).
 */
final class Echoes {

    /** A reader that has not noticed, in front of item {@code cursor}. */
    record DeadReader(int split, int handle, int cursor, int sequence) {}

    /** A batch whose hand-over was under way; {@code ended}: it can land no more. */
    record DeadHandOver(int split, int handle, int batch, int from, int to, boolean ended) {

        DeadHandOver end() {
            return new DeadHandOver(split, handle, batch, from, to, true);
        }
    }

    static final String FAULT = "a dead session failed";

    /** Nobody speaks. */
    static final Echoes NONE = new Echoes(-1, List.of(), List.of());

    final int session;
    final List<DeadReader> readers;
    final List<DeadHandOver> handOvers;

    private Echoes(int session, List<DeadReader> readers, List<DeadHandOver> handOvers) {
        this.session = session;
        this.readers = readers;
        this.handOvers = handOvers;
    }

    static Echoes of(int session, @Nullable Reading[] readings) {
        List<DeadReader> readers = new ArrayList<>();
        List<DeadHandOver> handOvers = new ArrayList<>();
        for (int split = 0; split < readings.length; split++) {
            Reading reading = readings[split];
            if (reading == null) {
                continue;
            }
            for (int b = 0; b < reading.batches; b++) {
                if (reading.unsettled(b)) {
                    boolean ended = reading.state[b] == Reading.DURABLE;
                    handOvers.add(new DeadHandOver(split, reading.handle, b, reading.from[b], reading.to[b], ended));
                }
            }
            if (reading.batcher.isEmpty() && !reading.finished) {
                readers.add(new DeadReader(split, reading.handle, reading.cursor, reading.batches));
            }
        }
        return new Echoes(session, readers, handOvers);
    }

    boolean speak() {
        return session >= 0;
    }

    boolean handOversEnded() {
        return handOvers.stream().allMatch(DeadHandOver::ended);
    }

    Echoes landed(int index) {
        List<DeadHandOver> changed = new ArrayList<>(handOvers);
        changed.set(index, handOvers.get(index).end());
        return new Echoes(session, readers, changed);
    }

    Echoes closed(int index) {
        List<DeadHandOver> changed = new ArrayList<>(handOvers);
        changed.remove(index);
        return new Echoes(session, readers, changed);
    }

    /** Adds what can be said to a live gate, and what can still happen at the sink. */
    void choices(Configuration configuration, boolean live, Choices choices) {
        for (int i = 0; i < handOvers.size(); i++) {
            if (!handOvers.get(i).ended()) {
                choices.add(Step.LATE_CLOSE.at(i));
            } else if (live) {
                choices.add(Step.LATE_SETTLE.at(i));
            }
        }
        if (!live || !speak()) {
            return;
        }
        choices.add(Step.LATE_FAIL);
        for (int i = 0; i < readers.size(); i++) {
            DeadReader reader = readers.get(i);
            Script script = configuration.script(reader.split());
            if (reader.cursor() < script.length()) {
                Step step = script.marker(reader.cursor()) ? Step.LATE_MARKER : Step.LATE_BATCH;
                choices.add(step.at(i));
            } else if (script.finite()) {
                choices.add(Step.LATE_FINISH.at(i));
            }
        }
    }

    /** Says it to the gate; true: the gate took a batch. */
    boolean speak(Step step, int index, Gate gate) {
        if (step == Step.LATE_FAIL) {
            gate.failed(session, FAULT);
            return false;
        }
        if (step == Step.LATE_SETTLE) {
            DeadHandOver batch = handOvers.get(index);
            gate.settled(session, batch.handle(), batch.batch(), 1);
            return false;
        }
        DeadReader reader = readers.get(index);
        if (step == Step.LATE_MARKER) {
            gate.marker(session, reader.handle(), Place.at(reader.cursor() + 1));
            return false;
        }
        if (step == Step.LATE_FINISH) {
            gate.finished(session, reader.handle());
            return false;
        }
        return gate.tracked(session, reader.handle(), reader.sequence(), Place.at(reader.cursor() + 1), 1, 1);
    }

    void digest(Fold fold) {
        fold.accept(speak() ? 1 : 0);
        for (DeadReader reader : readers) {
            fold.accept(reader.split() | reader.cursor() << 8 | reader.sequence() << 16);
        }
        for (DeadHandOver batch : handOvers) {
            int where = batch.ended() ? 0 : batch.from() << 16 | batch.to() << 24;
            fold.accept(-1L - (batch.split() | batch.batch() << 8 | where));
        }
    }
}
