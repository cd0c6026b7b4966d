package io.tidegate.testkit.explore;

import java.util.List;
import java.util.stream.Stream;

/** The rules of gate, ledger, batcher and runtime, each broken once. */
@SuppressWarnings("StringConcatToTextBlock") // the line breaks are a part of what is replaced
final class Mutants {

    private static final String GATE = "engine/src/main/java/io/tidegate/engine/gate/Gate.java";
    private static final String LEDGER = "engine/src/main/java/io/tidegate/engine/gate/SplitLedger.java";
    private static final String BATCHER = "engine/src/main/java/io/tidegate/engine/gate/Batcher.java";
    private static final String RUN = "testkit/src/main/java/io/tidegate/testkit/explore/Run.java";
    private static final String WORLD = "testkit/src/main/java/io/tidegate/testkit/explore/World.java";

    private Mutants() {}

    static List<Mutant> all() {
        return Stream.of(durability(), sessions(), barriers(), stops(), bounds())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Mutant> durability() {
        return List.of(
                new Mutant(
                        "acknowledges before the store wrote",
                        GATE,
                        "        effects.persist(write);\n",
                        "        effects.persist(write);\n        for (SplitProgress each : write.progress()) {\n"
                                + "            effects.acknowledge(ledger(each.id()).handle, each);\n        }\n",
                        "log",
                        "I1: "),
                new Mutant(
                        "takes a failed write for durable",
                        GATE,
                        "            touch(ledger(progress.id()));\n",
                        "            ledger(progress.id()).saved = progress;\n",
                        "log",
                        "I2: "),
                new Mutant(
                        "does not try a failed write again",
                        GATE,
                        "            touch(ledger(progress.id()));\n",
                        "",
                        "log",
                        "I10: "),
                new Mutant(
                        "does not try to write a plan again",
                        GATE,
                        "            touch(ledger(plan.id()));\n",
                        "",
                        "log",
                        "stuck: "),
                new Mutant(
                        "has two writes under way",
                        GATE,
                        "if (writing == null && !dirty.isEmpty() && now >= dueAt",
                        "if (!dirty.isEmpty() && now >= dueAt",
                        "log",
                        "I8: two writes"),
                new Mutant(
                        "writes nothing",
                        GATE,
                        "if (plans.isEmpty() && progress.isEmpty()) {",
                        "if (false) {",
                        "log",
                        "I8: a write of nothing"),
                new Mutant(
                        "releases a batch before an older one is settled",
                        LEDGER,
                        "        int count = changes[slot(sequence)];\n",
                        "        int count = changes[slot(sequence)];\n        Position there = resume[slot(sequence)];\n"
                                + "        frontier = there == null ? frontier : there;\n",
                        "log",
                        "I3: "),
                new Mutant(
                        "drops an acknowledgement",
                        GATE,
                        "            effects.acknowledge(ledger.handle, progress);\n",
                        "",
                        "log",
                        "stuck: I9: "),
                new Mutant(
                        "drops the acknowledgement of a split that is done",
                        GATE,
                        "            effects.acknowledge(ledger.handle, progress);\n",
                        "            if (!progress.done()) {\n                effects.acknowledge(ledger.handle, progress);\n"
                                + "            }\n",
                        "chunk-log",
                        "stuck: I9: "),
                new Mutant(
                        "takes no position for everything so far",
                        LEDGER,
                        "if (position != null) { // null:",
                        "if (position == null) {\n                frontier = tracked;\n            } else { // null:",
                        "log",
                        "I3: "),
                new Mutant("resumes inside a transaction", RUN, "kind == 'c' ? after : null", "after", "idle", "I5: "),
                new Mutant(
                        "lets a marker overtake a row of the batch being filled",
                        BATCHER,
                        "if (changes == 0) {\n            return false;",
                        "if (changes >= 0) {\n            return false;",
                        "log",
                        "the gate saw: I2: a position of L went back"),
                new Mutant(
                        "cuts a batch and does not take its number in the same step",
                        BATCHER,
                        "new Cut(sequence++, resume, changes, bytes)",
                        "new Cut(sequence, resume, changes, bytes)",
                        "log",
                        "the gate saw: I4: "),
                new Mutant(
                        "lets a marker overtake a batch in flight",
                        LEDGER,
                        "        if (head != next) {\n            resume[slot(next - 1)]",
                        "        if (head - next > 0) {\n            resume[slot(next - 1)]",
                        "log",
                        "I3: "),
                new Mutant(
                        "does not move an idle split by its marker",
                        LEDGER,
                        "        } else {\n            frontier = position;\n",
                        "        } else {\n            tracked = position;\n",
                        "idle",
                        "stuck: "));
    }

    private static List<Mutant> sessions() {
        return List.of(
                new Mutant(
                        "listens to a dead session",
                        GATE,
                        "return ended || session != this.session;",
                        "return ended;",
                        "log",
                        "I2: "),
                new Mutant(
                        "counts a batch that a dead session settled",
                        GATE,
                        "    public void settled(int session, int split, int sequence, long bytes) {\n"
                                + "        if (dead(session)) {",
                        "    public void settled(int session, int split, int sequence, long bytes) {\n"
                                + "        if (ended || split >= size() || !splits.get(split).awaits(sequence)) {",
                        "log",
                        "I2: LATE_SETTLE"),
                new Mutant(
                        "counts a marker of a dead session",
                        GATE,
                        "    public void marker(int session, int split, Position position) {\n"
                                + "        if (dead(session) || stopping) {",
                        "    public void marker(int session, int split, Position position) {\n"
                                + "        if (ended || stopping || split >= size() || !splits.get(split).opened) {",
                        "idle",
                        "I2: LATE_MARKER"),
                new Mutant(
                        "counts the finish of a dead session",
                        GATE,
                        "    public void finished(int session, int split) {\n        if (dead(session) || stopping) {",
                        "    public void finished(int session, int split) {\n"
                                + "        if (ended || stopping || split >= size() || !splits.get(split).opened) {",
                        "shards",
                        "I2: LATE_FINISH"),
                new Mutant(
                        "fails because a dead session failed",
                        GATE,
                        "        if (!dead(session)) {\n            fail(why);",
                        "        if (!ended) {\n            fail(why);",
                        "log",
                        "I2: LATE_FAIL"),
                new Mutant(
                        "does not write what is settled when it fails",
                        GATE,
                        "if (writing == null && !dirty.isEmpty()) { // else",
                        "if (how == GateEnd.STOPPED) { // else",
                        "log",
                        "I10: "),
                new Mutant(
                        "loses the done mark on loading",
                        LEDGER,
                        "        finished = stored != null && stored.done();\n",
                        "",
                        "chunk-log",
                        "I6: "),
                new Mutant(
                        "keeps the place of a batch that a dead session had in flight",
                        LEDGER,
                        "        finished = stored != null && stored.done();\n",
                        "        finished = stored != null && stored.done();\n        head = -1;\n        changes[slot(head)] = 1;\n",
                        "log",
                        "I15: "),
                new Mutant(
                        "keeps the room of the batches that a dead session had in flight",
                        WORLD,
                        "configuration.limits, Place.ORDER,",
                        "echoes.handOvers.isEmpty() ? configuration.limits : new io.tidegate.engine.gate.GateLimits(1, 99, 1, 1, 0, 1, 2, 3),"
                                + " Place.ORDER,",
                        "log",
                        "I15: room"),
                new Mutant(
                        "opens a session before the last write of the dead one has ended",
                        WORLD,
                        "} else if (writing == null && echoes.handOversEnded()) {",
                        "} else if (echoes.handOversEnded()) {",
                        "log",
                        "I8: two writes"),
                new Mutant(
                        "opens a session before the hand-overs of the dead one have ended",
                        WORLD,
                        "} else if (writing == null && echoes.handOversEnded()) {",
                        "} else if (writing == null) {",
                        "log",
                        "I4: a late hand-over"));
    }

    private static List<Mutant> barriers() {
        return List.of(
                new Mutant(
                        "opens a split when those before it are settled, not durably done",
                        GATE,
                        "        if (ledger.complete() || stopping) { // others",
                        "        if (ledger.complete()) {\n            freeChildren(ledger);\n        }\n"
                                + "        if (ledger.complete() || stopping) { // others",
                        "chunk-log",
                        "I6: "),
                new Mutant(
                        "is done when read, not when settled",
                        LEDGER,
                        "return finished && head == next;",
                        "return finished;",
                        "chunk-log",
                        "I6: "),
                new Mutant(
                        "takes each stored position of a split for its end",
                        GATE,
                        "            if (progress.done()) {\n                freeChildren(ledger);",
                        "            if (progress.position() != null) {\n                freeChildren(ledger);",
                        "chunk-log",
                        "I6: "),
                new Mutant(
                        "opens a split before its plan is durable",
                        GATE,
                        "ledger.saved == null || ledger.parentsLeft > 0",
                        "ledger.parentsLeft > 0",
                        "shards",
                        "I17: "),
                new Mutant(
                        "opens a split twice",
                        GATE,
                        "if (ledger.opened || ledger.finished || ledger.saved == null",
                        "if (ledger.finished || ledger.saved == null",
                        "shards",
                        "I2: "),
                new Mutant(
                        "opens a split when one of two before it is done",
                        GATE,
                        "            ledger.parentsLeft--;\n",
                        "            ledger.parentsLeft = 0;\n",
                        "two-chunks-log",
                        "I6: "),
                new Mutant(
                        "writes a plan in parts",
                        GATE,
                        "                touch(add(plan, null));\n                dueAt = now;\n",
                        "                touch(add(plan, null));\n                dueAt = now;\n                proceed();\n",
                        "chunk-log",
                        "I17: a part"));
    }

    private static List<Mutant> stops() {
        return List.of(
                new Mutant(
                        "stops before the last acknowledgement is confirmed",
                        GATE,
                        " && writing == null && acknowledgementsDue == 0) {",
                        " && writing == null) {",
                        "log",
                        "I9: "),
                new Mutant(
                        "takes the confirmation of an older acknowledgement for the newest",
                        GATE,
                        "        ledger.acked = durable;\n        if (confirmed(ledger)) {\n",
                        "        ledger.acked = durable;\n        if (ledger.acked != null) {\n",
                        "steps",
                        "I9: "),
                new Mutant(
                        "stops with a batch in flight",
                        GATE,
                        "if (stopping && batchesInFlight == 0 &&",
                        "if (stopping &&",
                        "log",
                        "I12: "),
                new Mutant(
                        "waits for a stop without bound",
                        GATE,
                        "        stopAt = now + limits.stopTimeout();\n",
                        "",
                        "log",
                        "I12: a stop has no bound"),
                new Mutant(
                        "lets a stop wait for a write that is to be tried again",
                        GATE,
                        "return Math.min(stopAt, writing == null && !dirty.isEmpty() ? Math.max(dueAt, earliestAt) : NEVER);",
                        "return writing == null && !dirty.isEmpty() ? Math.max(dueAt, earliestAt) : stopAt;",
                        "log",
                        "I12: a stop has no bound"),
                new Mutant(
                        "begins the time of a stop anew each time it is asked for",
                        GATE,
                        "        if (ended || stopping) {\n            return;\n        }\n        stopping = true;",
                        "        if (ended) {\n            return;\n        }\n        stopping = true;",
                        "log",
                        "I12: a stop has no bound"),
                new Mutant(
                        "takes a marker behind a refused batch",
                        GATE,
                        "    public void marker(int session, int split, Position position) {\n"
                                + "        if (dead(session) || stopping) {",
                        "    public void marker(int session, int split, Position position) {\n"
                                + "        if (dead(session)) {",
                        "log",
                        "I3: "),
                new Mutant(
                        "takes a finish behind a refused batch",
                        GATE,
                        "    public void finished(int session, int split) {\n        if (dead(session) || stopping) {",
                        "    public void finished(int session, int split) {\n        if (dead(session)) {",
                        "chunk-log",
                        "I6: "));
    }

    private static List<Mutant> bounds() {
        return List.of(
                new Mutant(
                        "keeps the room of a released batch",
                        GATE,
                        "        batchesInFlight -= ledger.release();\n",
                        "        ledger.release();\n",
                        "log",
                        "I15: "),
                new Mutant(
                        "gives room back before a batch is released",
                        GATE,
                        "        batchesInFlight -= ledger.release();\n",
                        "        ledger.release();\n        batchesInFlight--;\n",
                        "log",
                        "I15: "),
                new Mutant(
                        "keeps the bytes of a settled batch",
                        GATE,
                        "        bytesInFlight -= bytes;\n",
                        "",
                        "log",
                        "I15: "),
                new Mutant(
                        "does not count bytes against the room",
                        GATE,
                        " && bytesInFlight < limits.bytesMax());",
                        ");",
                        "narrow",
                        "I15: room"),
                new Mutant(
                        "mixes batches up when there are more of them",
                        LEDGER,
                        "widerChanges[i & (widerChanges.length - 1)]",
                        "widerChanges[i & (changes.length - 1)]",
                        Mutant.WALKS,
                        "I15: "));
    }
}
