package io.tidegate.engine.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import io.tidegate.testkit.fake.NumberPositions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each answer of a gate to one input, to the number: what exploration sees only by its consequences, or not at all. */
class GateTest {

    private static final int SESSION = 7;
    private static final int DEAD = 6;
    private static final long INTERVAL = 100;
    private static final long RETRY_MIN = 10;
    private static final long RETRY_MAX = 65;
    private static final long STOP_TIMEOUT = 1_000;
    private static final long SPACING = 50;
    private static final GateLimits LIMITS = limits(0);

    private static final SplitPlan LOG = new SplitPlan("log", List.of(), at(1), "");

    private final Recorded effects = new Recorded();

    private static final class Recorded implements GateEffects {
        private final List<String> opened = new ArrayList<>();
        private final List<GateWrite> writes = new ArrayList<>();
        private final List<SplitProgress> acknowledged = new ArrayList<>();
        private final List<String> ends = new ArrayList<>();

        @Override
        public void open(int split, SplitPlan plan, Position from) {
            opened.add(split + " " + plan.id() + " " + from);
        }

        @Override
        public void persist(GateWrite write) {
            writes.add(write);
        }

        @Override
        public void acknowledge(int split, SplitProgress durable) {
            acknowledged.add(durable);
        }

        @Override
        public void end(GateEnd end, String why) {
            ends.add(end + why);
        }

        private GateWrite last() {
            return writes.get(writes.size() - 1);
        }
    }

    private static Position at(int place) {
        return new NumberPositions.Place(place);
    }

    private static SplitState stored(SplitPlan plan, int position, boolean done) {
        return new SplitState(plan, new SplitProgress(plan.id(), at(position), done));
    }

    private static GateLimits limits(long writeSpacing) {
        return new GateLimits(3, 30, 4, INTERVAL, writeSpacing, RETRY_MIN, RETRY_MAX, STOP_TIMEOUT);
    }

    private Gate gate(SplitState... stored) {
        return gate(LIMITS, stored);
    }

    private Gate gate(GateLimits limits, SplitState... stored) {
        Gate gate = new Gate(SESSION, limits, new NumberPositions(), List.of(stored), 0, effects);
        gate.start();
        return gate;
    }

    /** A log that is read from 1 on. */
    private Gate log() {
        return gate(stored(LOG, 1, false));
    }

    private static boolean track(Gate gate, int sequence, int resume, int changes) {
        return gate.tracked(SESSION, 0, sequence, at(resume), changes, 10);
    }

    private static void settle(Gate gate, int sequence) {
        gate.settled(SESSION, 0, sequence, 10);
    }

    /** The store and the source confirm all that was written. */
    private void confirm(Gate gate) {
        gate.wrote(SESSION);
        SplitProgress newest = effects.acknowledged.get(effects.acknowledged.size() - 1);
        gate.acknowledged(SESSION, 0, newest);
    }

    private void failsWith(String why) {
        assertThat(effects.ends).containsExactly("FAILED" + why);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 1, 0, 0, 1, 1, 0, limits must be positive",
        "1, 0, 1, 0, 0, 1, 1, 0, limits must be positive",
        "1, 1, 0, 0, 0, 1, 1, 0, limits must be positive",
        "1, 1, 1, -1, 0, 1, 1, 0, limits must be positive",
        "1, 1, 1, 0, -1, 1, 1, 0, limits must be positive",
        "1, 1, 1, 0, 0, 0, 1, 0, waits must be positive and in order",
        "1, 1, 1, 0, 0, 2, 1, 0, waits must be positive and in order",
        "1, 1, 1, 0, 0, 1, 1, -1, waits must be positive and in order"
    })
    void refusesLimitsThatAreNone(
            int batches,
            long bytes,
            long changes,
            long interval,
            long spacing,
            long retryMin,
            long retryMax,
            long stop,
            String why) {
        assertThatThrownBy(() -> new GateLimits(batches, bytes, changes, interval, spacing, retryMin, retryMax, stop))
                .hasMessage(why);
    }

    @Test
    void takesTheSmallestLimits() {
        assertThat(new GateLimits(1, 1, 1, 0, 0, 1, 1, 0).batchesMax()).isOne();
    }

    @Test
    void readsWhatIsNotDoneFromWhereTheStoreHasIt() {
        SplitPlan chunk = new SplitPlan("chunk", List.of(), null, "");
        SplitPlan free = new SplitPlan("free", List.of("chunk"), null, "");
        SplitPlan waiting = new SplitPlan("waiting", List.of("chunk", "log"), at(2), "");
        Gate gate =
                gate(stored(LOG, 5, false), stored(chunk, 9, true), SplitState.fresh(free), SplitState.fresh(waiting));
        assertThat(effects.opened).containsExactly("0 log " + at(5), "2 free null");
        assertThat(gate.size()).isEqualTo(4);
        assertThat(gate.plan(3)).isEqualTo(waiting);
        assertThat(gate.frontier(0)).isEqualTo(at(5));
        assertThat(gate.frontier(3)).isEqualTo(at(2));
        assertThat(gate.persisted(1)).isEqualTo(new SplitProgress("chunk", at(9), true));
        assertThat(gate.acknowledged(1)).isEqualTo(new SplitProgress("chunk", at(9), true));
        assertThat(gate.unsaved()).isFalse();
        assertThat(gate.deadline()).isEqualTo(Gate.NEVER);
    }

    @Test
    void refusesAStoredSplitAfterOneThatIsNotThere() {
        SplitPlan orphan = new SplitPlan("orphan", List.of("nobody"), null, "");
        assertThatThrownBy(() -> gate(SplitState.fresh(orphan))).hasMessage("no split nobody");
    }

    @Test
    void writesAPlanAtOnceAndOpensItWhenItIsDurable() {
        Gate gate = log();
        SplitPlan found = new SplitPlan("found", List.of(), at(3), "");
        gate.planned(SESSION, List.of(LOG, found));
        assertThat(effects.writes).containsExactly(new GateWrite(List.of(found), List.of()));
        assertThat(gate.persisted(1)).isNull();
        assertThat(gate.acknowledged(1)).isNull();
        gate.wrote(SESSION);
        assertThat(effects.opened).containsExactly("0 log " + at(1), "1 found " + at(3));
        assertThat(gate.persisted(1)).isEqualTo(new SplitProgress("found", at(3), false));
        assertThat(gate.acknowledged(1)).isSameAs(gate.persisted(1));
        assertThat(effects.acknowledged).isEmpty();
    }

    @Test
    void endsWhenASplitIsPlannedAgainWithAnotherContent() {
        Gate gate = log();
        gate.planned(SESSION, List.of(new SplitPlan("log", List.of(), at(2), "")));
        failsWith("I17: split log was planned again with another content");
        assertThat(gate.size()).isOne();
    }

    @Test
    void endsWhenOnePlanHasTwoContentsForOneSplit() {
        Gate gate = log();
        SplitPlan found = new SplitPlan("found", List.of(), null, "a");
        gate.planned(SESSION, List.of(found, found, new SplitPlan("found", List.of(), null, "b")));
        failsWith("I17: split found was planned again with another content");
        assertThat(effects.writes).isEmpty();
    }

    @Test
    void endsWhenASplitComesAfterOneThatNobodyKnows() {
        Gate gate = log();
        gate.planned(
                SESSION,
                List.of(new SplitPlan("a", List.of("log"), null, ""), new SplitPlan("b", List.of("c"), null, "")));
        failsWith("I6: split b comes after a split that nobody knows");
        assertThat(gate.size()).isOne();
    }

    @Test
    void tracksBatchesInTheirOrderOnly() {
        Gate gate = log();
        assertThat(track(gate, 0, 2, 1)).isTrue();
        assertThat(gate.batchesInFlight()).isOne();
        assertThat(gate.bytesInFlight()).isEqualTo(10);
        assertThat(track(gate, 2, 3, 1)).isFalse();
        failsWith("I4: batch 2 of log is out of order");
        assertThat(gate.batchesInFlight()).isOne();
    }

    @Test
    void tracksNoBatchOfASplitThatIsNotOpen() {
        SplitPlan later = new SplitPlan("later", List.of("log"), at(1), "");
        Gate gate = gate(stored(LOG, 1, false), SplitState.fresh(later));
        assertThat(gate.tracked(SESSION, 1, 0, at(2), 1, 10)).isFalse();
        failsWith("I4: batch 0 of later is out of order");
    }

    @Test
    void tracksNoBatchOfASplitThatIsFinished() {
        Gate gate = log();
        gate.finished(SESSION, 0);
        assertThat(track(gate, 0, 2, 1)).isFalse();
        failsWith("I4: batch 0 of log is out of order");
    }

    @Test
    void takesNoPositionThatGoesBack() {
        Gate gate = log();
        assertThat(track(gate, 0, 5, 1)).isTrue();
        assertThat(track(gate, 1, 5, 1)).as("the same again is no step back").isTrue();
        assertThat(track(gate, 2, 4, 1)).isFalse();
        failsWith("I2: a position of log went back");
    }

    @Test
    void takesNoMarkerThatGoesBack() {
        Gate gate = log();
        gate.marker(SESSION, 0, at(0));
        failsWith("I2: a position of log went back");
        assertThat(gate.frontier(0)).isEqualTo(at(1));
    }

    @Test
    void takesNoMarkerOfASplitThatIsNotOpen() {
        SplitPlan later = new SplitPlan("later", List.of("log"), at(1), "");
        gate(stored(LOG, 1, false), SplitState.fresh(later)).marker(SESSION, 1, at(2));
        failsWith("I7: a marker of later is out of order");
    }

    @Test
    void takesNoMarkerOfASplitThatIsFinished() {
        Gate gate = log();
        gate.finished(SESSION, 0);
        gate.marker(SESSION, 0, at(2));
        failsWith("I7: a marker of log is out of order");
    }

    @Test
    void takesTheFinishOfASplitOnce() {
        Gate gate = log();
        gate.finished(SESSION, 0);
        assertThat(effects.ends).isEmpty();
        gate.finished(SESSION, 0);
        failsWith("I6: log finished out of order");
    }

    @Test
    void takesNoFinishOfASplitThatIsNotOpen() {
        SplitPlan later = new SplitPlan("later", List.of("log"), at(1), "");
        gate(stored(LOG, 1, false), SplitState.fresh(later)).finished(SESSION, 1);
        failsWith("I6: later finished out of order");
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2", "-1"})
    void takesTheReportOfABatchOnceAndOnlyIfItIsTracked(int sequence) {
        Gate gate = log();
        track(gate, 0, 2, 1);
        track(gate, 1, 3, 1);
        settle(gate, 0);
        if (sequence == 1) {
            settle(gate, 1);
        }
        assertThat(effects.ends).isEmpty();
        settle(gate, sequence);
        failsWith("I1: batch " + sequence + " of log was settled twice");
    }

    @Test
    void aMarkerMovesAnIdleSplitAndIsWrittenAfterTheInterval() {
        Gate gate = log();
        gate.tick(50);
        gate.marker(SESSION, 0, at(4));
        assertThat(gate.frontier(0)).isEqualTo(at(4));
        assertThat(gate.unsaved()).isTrue();
        assertThat(effects.writes).isEmpty();
        assertThat(gate.deadline()).isEqualTo(50 + INTERVAL);
        gate.tick(50 + INTERVAL - 1);
        assertThat(effects.writes).isEmpty();
        gate.tick(50 + INTERVAL);
        assertThat(effects.writes)
                .containsExactly(new GateWrite(List.of(), List.of(new SplitProgress("log", at(4), false))));
        assertThat(gate.unsaved()).isFalse();
        assertThat(gate.deadline()).isEqualTo(Gate.NEVER);
    }

    @Test
    void writesAtOnceWhenEnoughChangesAreSettledAndCountsFromThenOn() {
        Gate gate = log();
        track(gate, 0, 2, 3);
        track(gate, 1, 3, 1);
        settle(gate, 0);
        assertThat(effects.writes).isEmpty();
        settle(gate, 1);
        assertThat(effects.writes).hasSize(1);
        confirm(gate);
        track(gate, 2, 4, 3);
        settle(gate, 2);
        assertThat(effects.writes).hasSize(1);
        track(gate, 3, 5, 4);
        settle(gate, 3);
        assertThat(effects.writes).hasSize(2);
    }

    @Test
    void keepsItsWritesApartWhateverMakesThemDue() {
        Gate gate = gate(limits(SPACING), stored(LOG, 1, false));
        List<Long> writtenAt = new ArrayList<>();
        for (int now = 0; now <= 20 * SPACING; now++) {
            gate.tick(now);
            track(gate, now, now + 2, 4); // as many changes as make a write due
            settle(gate, now);
            if (effects.writes.size() > writtenAt.size()) {
                writtenAt.add((long) now);
                confirm(gate);
            }
            if (gate.unsaved()) {
                assertThat(gate.deadline()).isEqualTo(writtenAt.get(writtenAt.size() - 1) + SPACING);
            }
        }
        assertThat(effects.writes).hasSize(21);
        assertThat(writtenAt)
                .isEqualTo(LongStream.rangeClosed(0, 20)
                        .map(n -> n * SPACING)
                        .boxed()
                        .toList());
    }

    @Test
    void opensASplitNoLaterThanTheSpaceBetweenTwoWritesAfterTheOnesBeforeItAreDone() {
        SplitPlan later = new SplitPlan("later", List.of("log"), at(1), "");
        Gate gate = gate(limits(SPACING), stored(LOG, 1, false), SplitState.fresh(later));
        track(gate, 0, 2, 4);
        settle(gate, 0);
        confirm(gate);
        gate.finished(SESSION, 0);
        gate.planned(SESSION, List.of(new SplitPlan("found", List.of(), null, "")));
        assertThat(gate.deadline()).isEqualTo(SPACING);
        gate.tick(SPACING - 1);
        assertThat(effects.writes).hasSize(1);
        gate.tick(SPACING);
        assertThat(effects.writes).hasSize(2);
        gate.wrote(SESSION);
        assertThat(effects.opened).containsExactly("0 log " + at(1), "1 later " + at(1), "2 found null");
    }

    @Test
    void aStopDoesNotKeepItsWritesApart() {
        Gate gate = gate(limits(SPACING), stored(LOG, 1, false));
        track(gate, 0, 2, 4);
        settle(gate, 0);
        confirm(gate);
        track(gate, 1, 3, 4);
        track(gate, 2, 4, 4);
        settle(gate, 1);
        assertThat(effects.writes).hasSize(1);
        gate.stop();
        assertThat(effects.writes).hasSize(2);
        settle(gate, 2);
        confirm(gate);
        assertThat(effects.writes).hasSize(3);
        confirm(gate);
        assertThat(effects.ends).containsExactly("STOPPED");
    }

    @Test
    void aStopWaitsAfterAFailedWriteAllTheSame() {
        Gate gate = log();
        track(gate, 0, 2, 4);
        settle(gate, 0);
        gate.storeFailed(SESSION);
        gate.stop();
        assertThat(effects.writes).hasSize(1);
        assertThat(gate.deadline()).isEqualTo(RETRY_MIN);
        gate.tick(RETRY_MIN);
        assertThat(effects.writes).hasSize(2);
    }

    @Test
    void aFailedWriteIsNotTriedAgainBeforeTheNextOneMayBegin() {
        Gate gate = gate(limits(SPACING), stored(LOG, 1, false));
        track(gate, 0, 2, 4);
        settle(gate, 0);
        gate.storeFailed(SESSION);
        assertThat(gate.deadline()).isEqualTo(SPACING);
    }

    @Test
    void writesAtOnceThatASplitIsDone() {
        Gate gate = log();
        track(gate, 0, 2, 1);
        gate.finished(SESSION, 0);
        assertThat(effects.writes).isEmpty();
        settle(gate, 0);
        assertThat(effects.last().progress()).containsExactly(new SplitProgress("log", at(2), true));
        assertThat(gate.complete()).isFalse();
        gate.wrote(SESSION);
        assertThat(gate.complete()).as("the source does not know").isFalse();
        gate.acknowledged(SESSION, 0, effects.acknowledged.get(0));
        assertThat(gate.complete()).isTrue();
    }

    @Test
    void isNotCompleteWhileASplitIsNotDone() {
        assertThat(log().complete()).isFalse();
        Gate gate = gate(stored(LOG, 2, true));
        assertThat(gate.complete()).isTrue();
        gate.planned(SESSION, List.of(new SplitPlan("found", List.of(), null, "")));
        assertThat(gate.complete()).as("a plan that is not durable").isFalse();
    }

    @Test
    void anEmptySplitIsDoneAtOnce() {
        Gate gate = log();
        gate.finished(SESSION, 0);
        assertThat(effects.last().progress()).containsExactly(new SplitProgress("log", at(1), true));
    }

    @Test
    void opensASplitWhenAllBeforeItAreDurablyDone() {
        SplitPlan chunk = new SplitPlan("chunk", List.of(), null, "");
        SplitPlan both = new SplitPlan("both", List.of("log", "chunk"), at(1), "");
        Gate gate = gate(stored(LOG, 1, false), SplitState.fresh(chunk), SplitState.fresh(both));
        gate.finished(SESSION, 0);
        gate.wrote(SESSION);
        assertThat(effects.opened).hasSize(2);
        gate.finished(SESSION, 1);
        assertThat(effects.opened).hasSize(2);
        gate.wrote(SESSION);
        assertThat(effects.opened).hasSize(3).contains("2 both " + at(1));
    }

    @Test
    void waitsLongerAfterEachFailedWriteAndWritesAllOfItAgain() {
        Gate gate = log();
        SplitPlan found = new SplitPlan("found", List.of(), null, "");
        gate.marker(SESSION, 0, at(2));
        gate.planned(SESSION, List.of(found));
        GateWrite first = effects.last();
        assertThat(first.planned()).containsExactly(found);
        assertThat(first.progress()).containsExactly(new SplitProgress("log", at(2), false));
        long now = 0;
        for (long wait : new long[] {10, 20, 40, RETRY_MAX, RETRY_MAX}) {
            int writes = effects.writes.size();
            gate.storeFailed(SESSION);
            assertThat(gate.unsaved()).isTrue();
            assertThat(gate.deadline()).isEqualTo(now + wait);
            gate.tick(now + wait - 1);
            assertThat(effects.writes).hasSize(writes);
            now += wait;
            gate.tick(now);
            assertThat(effects.writes).hasSize(writes + 1);
            assertThat(effects.last()).isEqualTo(first);
        }
        gate.wrote(SESSION);
        gate.marker(SESSION, 0, at(3));
        gate.tick(now + INTERVAL);
        gate.storeFailed(SESSION);
        assertThat(gate.deadline()).as("the waits begin anew").isEqualTo(now + INTERVAL + RETRY_MIN);
    }

    @Test
    void writesWhatIsDueBesidesAFailedWriteOnlyAfterItsWait() {
        Gate gate = log();
        gate.marker(SESSION, 0, at(2));
        gate.tick(INTERVAL);
        gate.storeFailed(SESSION);
        gate.tick(INTERVAL + RETRY_MIN - 1);
        track(gate, 0, 3, 4);
        settle(gate, 0);
        assertThat(effects.writes).hasSize(1);
        gate.tick(INTERVAL + RETRY_MIN);
        assertThat(effects.last().progress()).containsExactly(new SplitProgress("log", at(3), false));
    }

    @Test
    void goesOnWritingWhenAWriteHasEnded() {
        Gate gate = log();
        track(gate, 0, 2, 4);
        settle(gate, 0);
        track(gate, 1, 3, 4);
        settle(gate, 1);
        assertThat(effects.writes).as("one at a time").hasSize(1);
        assertThat(gate.deadline()).isEqualTo(Gate.NEVER);
        gate.wrote(SESSION);
        assertThat(effects.writes).hasSize(2);
        assertThat(effects.acknowledged)
                .containsExactlyElementsOf(effects.writes.get(0).progress());
        assertThat(effects.acknowledged.get(0)).isSameAs(gate.persisted(0));
    }

    @Test
    void writesNothingWhenTheWriteBeforeHadItAll() {
        Gate gate = log();
        track(gate, 0, 2, 4);
        settle(gate, 0);
        gate.marker(SESSION, 0, at(2));
        gate.wrote(SESSION);
        gate.tick(10 * INTERVAL);
        assertThat(effects.writes).hasSize(1);
        assertThat(gate.unsaved()).isFalse();
        assertThat(gate.deadline()).isEqualTo(Gate.NEVER);
    }

    @Test
    void hasRoomUpToTheLimitsAndAlwaysForOneBatch() {
        Gate gate = log();
        assertThat(gate.room()).isTrue();
        gate.tracked(SESSION, 0, 0, at(2), 1, 29);
        assertThat(gate.room()).isTrue();
        gate.tracked(SESSION, 0, 1, at(3), 1, 1);
        assertThat(gate.room()).as("by bytes").isFalse();
        gate.settled(SESSION, 0, 0, 29);
        assertThat(gate.bytesInFlight()).isOne();
        assertThat(gate.room()).isTrue();
        gate.tracked(SESSION, 0, 2, at(3), 1, 1);
        assertThat(gate.room()).isTrue();
        gate.tracked(SESSION, 0, 3, at(3), 1, 1);
        assertThat(gate.room()).as("by count").isFalse();
        gate.settled(SESSION, 0, 1, 1);
        assertThat(gate.batchesInFlight()).isEqualTo(2);
        gate.settled(SESSION, 0, 2, 1);
        gate.settled(SESSION, 0, 3, 1);
        gate.tracked(SESSION, 0, 4, at(4), 1, 1_000);
        assertThat(gate.room()).isFalse();
    }

    @Test
    void releasesBatchesFromTheOldestOnAndClaimsNothingInsideATransaction() {
        Gate gate = log();
        for (int i = 0; i < 9; i++) { // more than the rings hold at first
            assertThat(gate.tracked(SESSION, 0, i, i % 2 == 0 ? null : at(i + 2), 1, 10))
                    .isTrue();
        }
        for (int i = 8; i > 0; i--) {
            settle(gate, i);
        }
        assertThat(gate.frontier(0)).isEqualTo(at(1));
        assertThat(gate.batchesInFlight()).isEqualTo(9);
        settle(gate, 0);
        assertThat(gate.frontier(0)).isEqualTo(at(9));
        assertThat(gate.batchesInFlight()).isZero();
        assertThat(gate.bytesInFlight()).isZero();
    }

    @Test
    void keepsEachBatchWhereverTheRingsStandWhenTheyGrow() {
        Gate gate = log();
        for (int i = 0; i < 3; i++) {
            track(gate, i, i + 2, 1);
        }
        for (int i = 2; i >= 0; i--) { // released together
            settle(gate, i);
        }
        int last = 43;
        for (int i = 3; i < last; i++) {
            assertThat(track(gate, i, i + 2, 1)).isTrue();
        }
        for (int i = 3; i < last; i++) {
            assertThat(gate.frontier(0)).isEqualTo(at(i + 1));
            assertThat(gate.batchesInFlight()).isEqualTo(last - i);
            settle(gate, i);
            if (!effects.writes.isEmpty() && gate.deadline() == Gate.NEVER) {
                assertThat((i + 1) % 4).as("four changes make a write due").isZero();
                confirm(gate);
            }
        }
        assertThat(effects.writes).hasSize(last / 4);
    }

    @Test
    void countsBatchesBeyondTheLargestNumber() {
        Gate gate = log();
        Batcher batcher = new Batcher();
        SplitLedger ledger = gate.splits.get(0);
        batcher.sequence = ledger.head = ledger.next = Integer.MAX_VALUE - 1; // 25 days at 1,000 batches a second
        for (int resume = 2; resume < 22; resume += 5) {
            List<Batcher.Cut> cuts = new ArrayList<>();
            for (int i = 0; i < 5; i++) { // more than the rings hold at first
                batcher.change(at(resume + i), 10);
                Batcher.Cut cut = batcher.cut();
                assertThat(gate.tracked(SESSION, 0, cut.sequence(), cut.resume(), 1, 10))
                        .isTrue();
                cuts.add(0, cut);
            }
            for (Batcher.Cut cut : cuts) {
                settle(gate, cut.sequence());
            }
            assertThat(gate.frontier(0)).isEqualTo(at(resume + 4));
            assertThat(gate.batchesInFlight()).isZero();
        }
        settle(gate, batcher.sequence - 1);
        failsWith("I1: batch " + (batcher.sequence - 1) + " of log was settled twice");
    }

    @Test
    void writesNothingOfASplitThatHasNoPositionYet() {
        Gate gate = gate(SplitState.fresh(new SplitPlan("chunk", List.of(), null, "")));
        gate.tracked(SESSION, 0, 0, null, 1, 10);
        settle(gate, 0);
        assertThat(gate.unsaved()).isFalse();
    }

    @Test
    void aMarkerRidesOnTheNewestBatchInFlight() {
        Gate gate = log();
        track(gate, 0, 2, 1);
        track(gate, 1, 3, 1);
        gate.marker(SESSION, 0, at(7));
        assertThat(gate.frontier(0)).isEqualTo(at(1));
        settle(gate, 0);
        assertThat(gate.frontier(0)).isEqualTo(at(2));
        settle(gate, 1);
        assertThat(gate.frontier(0)).isEqualTo(at(7));
    }

    @Test
    void aStopWritesAtOnceAndEndsWhenTheSourceKnows() {
        Gate gate = log();
        gate.tick(5);
        gate.marker(SESSION, 0, at(2));
        gate.stop();
        assertThat(effects.writes).hasSize(1);
        assertThat(gate.deadline()).isEqualTo(5 + STOP_TIMEOUT);
        assertThat(track(gate, 0, 3, 1)).as("nothing more is taken").isFalse();
        gate.marker(SESSION, 0, at(3));
        gate.finished(SESSION, 0);
        assertThat(effects.ends).isEmpty();
        gate.wrote(SESSION);
        assertThat(effects.ends).as("the source does not know").isEmpty();
        gate.acknowledged(SESSION, 0, new SplitProgress("log", at(2), false));
        assertThat(effects.ends).as("an equal record is not the record").isEmpty();
        gate.acknowledged(SESSION, 0, effects.acknowledged.get(0));
        assertThat(effects.ends).containsExactly("STOPPED");
        assertThat(gate.deadline()).isEqualTo(Gate.NEVER);
        assertThat(gate.frontier(0)).isEqualTo(at(2));
    }

    @Test
    void aStopWaitsForBatchesInFlightAndWritesThemAtOnce() {
        Gate gate = log();
        track(gate, 0, 2, 1);
        gate.stop();
        gate.stop();
        assertThat(effects.ends).isEmpty();
        settle(gate, 0);
        assertThat(effects.writes).hasSize(1);
        confirm(gate);
        assertThat(effects.ends).containsExactly("STOPPED");
    }

    @Test
    void aStopWithNothingToDoEndsAtOnce() {
        log().stop();
        assertThat(effects.ends).containsExactly("STOPPED");
    }

    @Test
    void aStopEndsWhenItsTimeIsUpAndNotBefore() {
        Gate gate = log();
        gate.tick(5);
        track(gate, 0, 2, 1);
        gate.stop();
        gate.tick(5 + STOP_TIMEOUT - 1);
        assertThat(effects.ends).isEmpty();
        gate.tick(5 + STOP_TIMEOUT);
        assertThat(effects.ends).containsExactly("STOP_TIMED_OUTthe stop took longer than its timeout");
    }

    @Test
    void aStopOpensNothingMore() {
        SplitPlan later = new SplitPlan("later", List.of("log"), at(1), "");
        Gate gate = gate(stored(LOG, 1, false), SplitState.fresh(later));
        gate.finished(SESSION, 0);
        gate.stop();
        gate.wrote(SESSION);
        assertThat(effects.opened).hasSize(1);
    }

    @Test
    void aFailureEndsTheSessionAndWritesWhatIsSettled() {
        Gate gate = log();
        gate.marker(SESSION, 0, at(2));
        gate.failed(SESSION, "the sink is gone");
        failsWith("the sink is gone");
        assertThat(effects.last().progress()).containsExactly(new SplitProgress("log", at(2), false));
    }

    @Test
    void aFailureDuringAWriteLeavesThatOneTheLast() {
        Gate gate = log();
        track(gate, 0, 2, 4);
        settle(gate, 0);
        track(gate, 1, 3, 4);
        settle(gate, 1);
        gate.failed(SESSION, "x");
        gate.failed(SESSION, "y");
        failsWith("x");
        assertThat(effects.writes).hasSize(1);
    }

    @Test
    void nothingChangesAnEndedGateOrComesFromADeadSession() {
        Gate gate = log();
        track(gate, 0, 2, 4);
        inputs(gate, DEAD);
        gate.failed(SESSION, "x");
        inputs(gate, SESSION);
        gate.stop();
        gate.tick(10 * STOP_TIMEOUT);
        failsWith("x");
        assertThat(effects.writes).isEmpty();
        assertThat(gate.batchesInFlight()).isOne();
        assertThat(gate.frontier(0)).isEqualTo(at(1));
        assertThat(gate.size()).isOne();
    }

    private static void inputs(Gate gate, int session) {
        gate.planned(session, List.of(new SplitPlan("found", List.of(), null, "")));
        assertThat(gate.tracked(session, 0, 1, at(9), 1, 10)).isFalse();
        gate.marker(session, 0, at(9));
        gate.settled(session, 0, 0, 10);
        gate.finished(session, 0);
        gate.wrote(session);
        gate.storeFailed(session);
        gate.acknowledged(session, 0, new SplitProgress("log", at(9), false));
        if (session == DEAD) {
            gate.failed(session, "dead");
        }
    }

    @Test
    void anAnswerToNoWriteIsAFault() {
        assertThatThrownBy(() -> log().wrote(SESSION)).hasMessage("no write is under way");
        assertThatThrownBy(() -> log().storeFailed(SESSION)).hasMessage("no write is under way");
    }

    @Test
    void anOlderConfirmationDoesNotCountForTheNewestRecord() {
        Gate gate = log();
        track(gate, 0, 2, 4);
        settle(gate, 0);
        gate.wrote(SESSION);
        SplitProgress older = effects.acknowledged.get(0);
        track(gate, 1, 3, 4);
        settle(gate, 1);
        gate.wrote(SESSION);
        gate.acknowledged(SESSION, 0, older);
        assertThat(gate.acknowledged(0)).isSameAs(older);
        gate.stop();
        assertThat(effects.ends).isEmpty();
        gate.acknowledged(SESSION, 0, effects.acknowledged.get(1));
        assertThat(effects.ends).containsExactly("STOPPED");
    }

    @Test
    void aBatchIsCountedAndCarriesTheNewestPosition() {
        Batcher batcher = new Batcher();
        assertThat(batcher.isEmpty()).isTrue();
        assertThat(batcher.rides(at(1))).as("on no batch").isFalse();
        batcher.change(at(2), 5);
        assertThat(batcher.isEmpty()).isFalse();
        batcher.change(null, 7);
        assertThat(batcher.changes()).isEqualTo(2);
        assertThat(batcher.bytes()).isEqualTo(12);
        assertThat(batcher.cut()).isEqualTo(new Batcher.Cut(0, at(2), 2, 12));
        assertThat(batcher.isEmpty()).isTrue();
        assertThat(batcher.bytes()).isZero();
        batcher.change(at(3), 1);
        assertThat(batcher.rides(at(4))).isTrue();
        assertThat(batcher.cut()).isEqualTo(new Batcher.Cut(1, at(4), 1, 1));
        batcher.change(null, 1);
        assertThat(batcher.cut()).isEqualTo(new Batcher.Cut(2, null, 1, 1));
    }
}
