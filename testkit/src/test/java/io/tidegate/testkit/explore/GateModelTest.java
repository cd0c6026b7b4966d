package io.tidegate.testkit.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateEffects;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.gate.GateLimits;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The gate, told anything that a session can say, answers as a model does that works everything out from scratch. */
class GateModelTest {

    private static final long SEEDS = Long.getLong("gate.seeds", 500);
    private static final int INPUTS = 250;

    private static final int SPLIT_MAX = 5;

    @Test
    void answersAsTheModelDoesWhateverASessionSays() {
        int acknowledgements = 0;
        int stops = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Session session = new Session(seed);
            try {
                session.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with seed " + seed, e);
            }
            acknowledgements += session.acknowledged;
            stops += session.how == GateEnd.STOPPED ? 1 : 0;
        }
        assertThat(acknowledgements).as("acknowledgements seen").isGreaterThan((int) SEEDS);
        assertThat(stops).as("sessions that stopped in order").isEqualTo((int) SEEDS);
    }

    private record Due(int split, SplitProgress progress) {}

    /** One gate with its model, and a store and a source that answer when chance wants them to. */
    private static final class Session implements GateEffects {
        private final Random random;
        private final GateLimits limits;
        private final GateModel model;
        private final Gate gate;
        private final int[] place = new int[SPLIT_MAX];
        private final Set<String> opened = new HashSet<>();
        private final ArrayDeque<Due> due = new ArrayDeque<>();
        private GateWrite writing;
        private List<SplitProgress> confirmed = List.of();
        private long now;
        private int acknowledged;
        private boolean stopping;
        private GateEnd how;

        Session(long seed) {
            random = new Random(seed);
            limits = new GateLimits(
                    1 + random.nextInt(9),
                    1 + random.nextInt(30),
                    1 + random.nextInt(6),
                    random.nextInt(4),
                    random.nextInt(4),
                    1,
                    8,
                    1000);
            model = new GateModel(limits);
            gate = new Gate(1, limits, Place.ORDER, List.of(), 0, this);
        }

        void run() {
            gate.start();
            for (int i = 0; i < INPUTS; i++) {
                input();
                check();
            }
            stopping = true;
            gate.stop();
            for (int i = 0; how == null; i++) {
                assertThat(i).as("steps of a stop").isLessThan(1000);
                answer();
                check();
            }
            assertThat(model.due()).as("left to write when stopped").isEqualTo(new GateWrite(List.of(), List.of()));
            assertThat(due).as("left to acknowledge when stopped").isEmpty();
        }

        private void input() {
            switch (random.nextInt(10)) {
                case 0 -> plan();
                case 1, 2, 3 -> batch(random.nextInt(SPLIT_MAX));
                case 4 -> marker(random.nextInt(SPLIT_MAX));
                case 5 -> finish(random.nextInt(SPLIT_MAX));
                default -> answer();
            }
        }

        /** Sink, store, source and clock. */
        private void answer() {
            switch (random.nextInt(6)) {
                case 0, 1 -> settle(random.nextInt(SPLIT_MAX));
                case 2, 3 -> store();
                case 4 -> confirm();
                default -> tick();
            }
        }

        private void plan() {
            int known = model.plans.size();
            int more = 1 + random.nextInt(2);
            if (known + more > SPLIT_MAX) {
                gate.planned(1, List.copyOf(model.plans.values())); // what is known changes nothing
                return;
            }
            List<SplitPlan> plans = new ArrayList<>();
            for (int i = known; i < known + more; i++) {
                List<String> after = new ArrayList<>();
                for (int before = 0; before < i; before++) {
                    if (random.nextInt(4) == 0) {
                        after.add(id(before));
                    }
                }
                plans.add(new SplitPlan(id(i), after, random.nextBoolean() ? Place.at(0) : null, ""));
            }
            model.plan(plans);
            gate.planned(1, plans);
        }

        private void batch(int split) {
            if (!reading(split) || !gate.room()) {
                return;
            }
            Place resume = random.nextInt(3) == 0 ? null : next(split);
            int bytes = random.nextInt(12);
            int sequence = model.batches(id(split));
            model.batch(id(split), resume, bytes);
            assertThat(gate.tracked(1, split, sequence, resume, 1 + random.nextInt(3), bytes))
                    .isTrue();
        }

        private void marker(int split) {
            if (reading(split)) {
                Place at = next(split);
                model.marker(id(split), at);
                gate.marker(1, split, at);
            }
        }

        private void finish(int split) {
            if (reading(split) && random.nextInt(3) == 0) {
                model.finish(id(split));
                gate.finished(1, split);
            }
        }

        private void settle(int split) {
            List<Integer> unsettled = split < model.plans.size() ? model.unsettled(id(split)) : List.of();
            if (!unsettled.isEmpty()) {
                int sequence = unsettled.get(random.nextInt(unsettled.size()));
                long before = model.bytesInFlight();
                model.settle(id(split), sequence);
                gate.settled(1, split, sequence, before - model.bytesInFlight());
            }
        }

        private void store() {
            GateWrite write = writing;
            if (write == null) {
                return;
            }
            writing = null;
            if (random.nextInt(4) == 0) {
                gate.storeFailed(1);
                return;
            }
            confirmed = write.progress();
            model.wrote(write);
            gate.wrote(1);
            assertThat(confirmed).as("records confirmed and not acknowledged").isEmpty();
        }

        private void confirm() {
            Due next = due.poll();
            if (next != null) {
                acknowledged++;
                gate.acknowledged(1, next.split(), next.progress());
            }
        }

        private void tick() {
            long deadline = gate.deadline();
            now = deadline == Gate.NEVER ? now + 1 : Math.max(now, Math.min(deadline, now + 20));
            gate.tick(now);
            if (deadline <= now && writing == null) {
                assertThat(model.due()).as("due and not written").isEqualTo(new GateWrite(List.of(), List.of()));
            }
        }

        private boolean reading(int split) {
            return split < model.plans.size() && model.reading(id(split));
        }

        private Place next(int split) {
            place[split] = Math.min(Place.MAX, place[split] + random.nextInt(2));
            return Place.at(place[split]);
        }

        private static String id(int split) {
            return "S" + split;
        }

        private void check() {
            for (int split = 0; split < model.plans.size(); split++) {
                Position expected = model.progress(id(split)).position();
                assertThat(gate.frontier(split)).as("frontier of %s", id(split)).isEqualTo(expected);
            }
            assertThat(gate.batchesInFlight()).as("batches in flight").isEqualTo(model.inFlight());
            assertThat(gate.bytesInFlight()).as("bytes in flight").isEqualTo(model.bytesInFlight());
            assertThat(gate.room()).as("room").isEqualTo(model.room());
            if (!stopping) { // a gate that stops opens nothing more
                assertThat(opened).as("opened").isEqualTo(model.open());
            }
        }

        @Override
        public void open(int split, SplitPlan plan, Position from) {
            assertThat(plan).isEqualTo(model.plans.get(id(split)));
            assertThat(from).isEqualTo(plan.start());
            assertThat(opened.add(plan.id())).as("opened once").isTrue();
            assertThat(model.open()).contains(plan.id());
        }

        @Override
        public void persist(GateWrite write) {
            assertThat(writing).as("the write under way").isNull();
            GateWrite expected = model.due();
            assertThat(write.planned()).containsExactlyElementsOf(expected.planned()); // each behind the ones it names
            assertThat(write.progress()).containsExactlyInAnyOrderElementsOf(expected.progress());
            writing = write;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // I1: this very object
        public void acknowledge(int split, SplitProgress durable) {
            List<SplitProgress> left = new ArrayList<>(confirmed);
            assertThat(left.removeIf(each -> each == durable))
                    .as("the very record that was confirmed")
                    .isTrue();
            confirmed = left;
            due.add(new Due(split, durable));
        }

        @Override
        public void end(GateEnd end, String why) {
            assertThat(why).isEmpty();
            how = end;
        }
    }
}
