package io.tidegate.connector.postgres;

import io.tidegate.testkit.mutant.Replacement;
import io.tidegate.testkit.mutant.Scenario;
import io.tidegate.testkit.mutant.ScenarioMutant;
import java.util.List;
import java.util.stream.Stream;

/** The rules of the PostgreSQL source, each broken once, with the test that must notice. */
final class ConnectorMutants {

    private static final String PACKAGE = "io.tidegate.connector.postgres.";

    /** The driver makes our socket factories by their names, so it must find the same ones. */
    static final String[] ANEW = {PACKAGE, "org.postgresql."};

    private static final String SOURCES = "connectors/postgres/src/main/java/io/tidegate/connector/postgres/";

    private ConnectorMutants() {}

    static List<ScenarioMutant> all() {
        return Stream.of(log(), snapshot(), attempts(), birth())
                .flatMap(List::stream)
                .toList();
    }

    private static Scenario test(String method, Object... arguments) {
        int dot = method.lastIndexOf('.');
        return new Scenario(PACKAGE + method.substring(0, dot), method.substring(dot + 1), List.of(arguments));
    }

    private static Replacement in(String file, String find, String put) {
        return new Replacement(SOURCES + file + ".java", find, put);
    }

    private static List<ScenarioMutant> log() {
        String decoder = "pgoutput/PgOutputDecoder";
        Scenario keepalives =
                test("pgoutput.PgOutputDecoderTest.ignoresKeepalivesInsideATransactionAndBehindThePosition");
        Scenario whichSide =
                test("SnapshotIT.whatCommittedBelowHIsInTheSnapshotOnlyAndWhatCommittedAtOrAboveItInTheLogOnly", 18);
        return List.of(
                new ScenarioMutant(
                        "takes a keepalive inside a transaction for a position",
                        in(decoder, "!inTransaction() && walEnd.isAfter(position)", "walEnd.isAfter(position)"),
                        keepalives,
                        "[0/96]"),
                new ScenarioMutant(
                        "takes a keepalive below the position for a position",
                        in(decoder, "!inTransaction() && walEnd.isAfter(position)", "!inTransaction()"),
                        keepalives,
                        "[0/5A, 0/64]"),
                new ScenarioMutant(
                        "compares positions as texts",
                        in(
                                "position/Lsn",
                                "return Long.compareUnsigned(value, other.value);",
                                "return toString().compareTo(other.toString());"),
                        test("position.LsnTest.ordersAsNumbersWhateverTheLengthOfTheTexts"),
                        "0/9 and 0/10"),
                new ScenarioMutant(
                        "compares positions with their sign",
                        in(
                                "position/Lsn",
                                "Long.compareUnsigned(value, other.value)",
                                "Long.compare(value, other.value)"),
                        test("position.LsnTest.ordersBeyondTheSignBit"),
                        "to be less than"),
                new ScenarioMutant(
                        "leaves out a transaction whose commit LSN is the position",
                        in(decoder, "leftOut = commit.isBefore(from);", "leftOut = !commit.isAfter(from);"),
                        test("log.LogReaderIT.givesATransactionWhoseCommitLsnIsThePositionThatIsReadOnFrom", 17),
                        "could not find the following elements: [\"c public.a +int:"),
                new ScenarioMutant(
                        "leaves out a transaction whose commit LSN is H",
                        in(decoder, "!commitLsn.isBefore(snapshotPoint)", "commitLsn.isAfter(snapshotPoint)"),
                        test("pgoutput.PgOutputDecoderTest.skipsATablesChangesBelowItsSnapshotPointTruncatesIncluded"),
                        "could not find the following elements: [\"0/C8#1\"]"),
                new ScenarioMutant(
                        "gives a truncate that the snapshot is behind already",
                        in(
                                decoder,
                                "if (!leftOut && table != null && known.gives(commit)) {",
                                "if (!leftOut && table != null) {"),
                        whichSide,
                        "were not expected: [\"t public.u\""),
                new ScenarioMutant(
                        "leaves out every truncate of a table that was read",
                        in(
                                decoder,
                                "if (!leftOut && table != null && known.gives(commit)) {",
                                "if (!leftOut && table != null && known.snapshotPoint() == null) {"),
                        whichSide,
                        "could not find the following elements: [\"t public.u\""),
                new ScenarioMutant(
                        "confirms what it received",
                        in(
                                "log/LogReader",
                                "stream.sendStatus(later(received, confirmed), confirmed, clock.replied(now));",
                                "stream.sendStatus(received, received, clock.replied(now));"),
                        test("log.LogReaderIT.confirmsWhatWasAcknowledgedAndNothingElse"),
                        "expected: 0/"),
                new ScenarioMutant(
                        "takes a missing publication for silence",
                        in("wire/CopyStream", "if (report.sqlState().equals(MISSING_OBJECT)) {", "if (false) {"),
                        test("log.LogReaderIT.callsAMissingPublicationALostPosition", 18),
                        "it must not go on past the row"),
                new ScenarioMutant(
                        "numbers only the changes that it gives",
                        in(
                                decoder,
                                "        number++;\n        Known known = known(oid, message);",
                                "        Known known = known(oid, message);\n        number += known.table() == null ? 0 : 1;"),
                        test("pgoutput.PgOutputDecoderTest.numbersWhatTheServerSentBeforeAnyFilter"),
                        "others were not expected: [\"0/64#1\"]"));
    }

    private static List<ScenarioMutant> snapshot() {
        String reader = "snapshot/ChunkReader";
        return List.of(
                new ScenarioMutant(
                        "reads under a plain transaction instead of the temporary slot's snapshot",
                        in(
                                "snapshot/SnapshotHolder",
                                "            begin(transaction, slot.snapshot());\n",
                                "            transaction.execute(BEGIN);\n"),
                        test("SnapshotIT.rowsOfAllTablesAreThoseOfOneMomentWhileOthersWrite", 18),
                        "Expected size: "),
                new ScenarioMutant(
                        "reads each chunk under a snapshot of its own",
                        in(
                                reader,
                                "SnapshotHolder.begin(session, attempt.holder().snapshot());",
                                "session.execute(\"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY\");"),
                        test("BirthIT.deliversEachRowOnceFromSnapshotAndLogAndLeavesNothingAfterRemoval", 18),
                        "to contain"),
                new ScenarioMutant(
                        "takes a failure of reading for the end of a chunk",
                        in(
                                reader,
                                "            throw PgErrors.of(\n                    e, PgErrors.Doing.ASKING, \"reading \" + shape.schema().display() + \" for the snapshot\");",
                                "            return State.FINISHED;"),
                        test("SnapshotIT.aChunkIsFinishedOnlyWhenTheServerSaidThatItIsComplete", 17),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "reads a table as empty that was rewritten",
                        in(reader, "        if (!same) {", "        if (false) {"),
                        test("BirthIT.callsTheAttemptVoidWhenATableWasRewrittenUnderTheSnapshot", 18),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "leaves the end of a relation out",
                        in(
                                "snapshot/TableChunks",
                                "from + step < pages ? from + step : -1));",
                                "Math.min(from + step, pages - 1)));"),
                        test("SnapshotIT.readsEveryRowExactlyOnceWhateverTheChunks", 18),
                        "but could not find"));
    }

    private static List<ScenarioMutant> attempts() {
        String plan = "birth/SnapshotPlan";
        Scenario again = test("BirthIT.readsATableAgainBehindATruncateUnlessAllOfItIsDurablyDone", 18);
        Scenario moved = test("CatchUpIT.keepsWhatIsDoneAndCompletesARowThatMovedBetweenChunks", 18);
        return List.of(
                new ScenarioMutant(
                        "keeps chunks by pages after a crash",
                        in(plan, "chunks.keyed() ? chunks.identity() : \"\"", "chunks.identity()"),
                        test("CatchUpIT.aTableThatIsCutByPagesIsReadFromTheBeginningAgain", 18),
                        "a truncate and all chunks"),
                new ScenarioMutant(
                        "catches up without reading the row that moved",
                        in(
                                "pgoutput/PgOutputDecoder",
                                "boolean partial = kind == 'I' || (origin.catchUp() && old != null);",
                                "boolean partial = kind == 'I';"),
                        moved,
                        "expected: "),
                new ScenarioMutant(
                        "skips what lies below H though it kept chunks of before",
                        in(
                                "birth/TableRecord",
                                "newAttempt, newPoint, Way.CATCH_UP, identity",
                                "newAttempt, newPoint, Way.SKIP, identity"),
                        moved,
                        "expected: "),
                new ScenarioMutant(
                        "forgets that a row was read on the way",
                        in("pgoutput/CatchUp", "            end = found.at();\n", ""),
                        test("CatchUpIT.theEndOfCatchUpRisesWithEachRowThatIsReadAndOutlivesASession"),
                        "no raised end is given with a position"),
                new ScenarioMutant(
                        "reads a table again without saying that what was delivered is void",
                        in(plan, "if (marker && !config.keepStaleRows()) {", "if (false) {"),
                        again,
                        "could not find the following elements: [\"a2/public.u/truncate\"]"),
                new ScenarioMutant(
                        "gives the splits of a new attempt the ids of the old one",
                        in(plan, "return \"a\" + origin.attempt() + \"/\";", "return \"a1/\";"),
                        again,
                        "others were not expected: [\"a1/public.u/truncate\""),
                new ScenarioMutant(
                        "leaves the log behind the splits of a dead attempt",
                        in(
                                plan,
                                "            if (isLog(split.plan())) {\n                forget.add(split.plan().id());\n            }\n",
                                "            if (isLog(split.plan())) {\n                return;\n            }\n"),
                        again,
                        "others were not expected: [\"a1/log\"]"),
                new ScenarioMutant(
                        "reads the log while rows are still to be read",
                        in(
                                plan,
                                "add.add(log(durable, record, add.stream().map(SplitPlan::id).toList()));",
                                "add.add(log(durable, record, List.of()));"),
                        test("BirthIT.theLogComesBehindEachSplitOfTheSnapshot", 17),
                        "[in attempt 1] Expecting actual not to be empty"),
                new ScenarioMutant(
                        "keeps what it knows of a table that was removed",
                        in("birth/TableChanges", "        next = next.without(table);\n", ""),
                        test("LivingTablesIT.tablesJoinAndLeaveWithTheConfiguration", 18),
                        "were not expected: [\"c public.v id=2\"]"));
    }

    private static List<ScenarioMutant> birth() {
        String continuity = "birth/Continuity";
        return List.of(
                new ScenarioMutant(
                        "drops a slot that it adopted",
                        in(
                                "birth/Birth",
                                "record.createsSlot() ? makeSlot(control, old != null) : adopt(old)",
                                "old != null ? makeSlot(control, true) : adopt(old)"),
                        test("BirthIT.takesNoSlotOfItsNameWithoutAStateUnlessTold", 17),
                        "could not find the following elements: [\"c public.t id=1\"]"),
                new ScenarioMutant(
                        "looks at the slot's position before START only",
                        in(
                                continuity,
                                "        Slot slot = slot(control, position);\n        if (slot.activePid()",
                                "        Slot slot = usable(control, position);\n        if (slot.activePid()"),
                        test("ResumeIT.aSlotThatMovedSinceItWasLookedAtIsSeenOnceItIsRead", 17),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "reads from a slot that was moved past the checkpoint",
                        in(continuity, "confirmed == null || confirmed.isAfter(position)", "confirmed == null"),
                        test("BirthIT.refusesToGoOnWhenTheSlotWasMadeAgain", 18),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "reads on from a checkpoint that the server does not have",
                        in(continuity, "if (position.isAfter(identity.flushed())) {", "if (false) {"),
                        test("BirthIT.refusesACheckpointBeyondTheEndOfTheLog", 18),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "reads on from another server",
                        in(continuity, "!identity.systemId().equals(record.systemId())", "false"),
                        test("ResumeIT.checkFindsEverythingThatASessionWouldStopWith", 18),
                        "Expected size: 3 but was: 2"),
                new ScenarioMutant(
                        "takes a slot that another walsender reads for its own",
                        in(continuity, "if (slot.activePid() != walsender) {", "if (!slot.active()) {"),
                        test("ResumeIT.readsOnlyWhileItsOwnWalsenderHasTheSlot", 17),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "goes on with a table that left the publication for a while",
                        in(
                                "birth/TableChanges",
                                "if (!String.valueOf(members).equals(now.members(table.oid()))) {",
                                "if (false) {"),
                        test("LivingTablesIT.aTableThatLeftThePublicationForAWhileIsLostAndTheOthersGoOn", 18),
                        "were not expected: [\"c public.t id=8\"]"));
    }
}
