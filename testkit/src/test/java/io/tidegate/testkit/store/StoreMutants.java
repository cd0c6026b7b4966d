package io.tidegate.testkit.store;

import io.tidegate.testkit.mutant.Replacement;
import io.tidegate.testkit.mutant.Scenario;
import io.tidegate.testkit.mutant.ScenarioMutant;
import java.util.List;
import java.util.stream.Stream;

/** The rules of the state store, each broken once, with the test that must notice. */
final class StoreMutants {

    private static final String PACKAGE = "io.tidegate.testkit.store.";

    /** What is loaded anew: the store and its tests. */
    static final String[] ANEW = {"io.tidegate.engine.store.", PACKAGE};

    private static final String SOURCES = "engine/src/main/java/io/tidegate/engine/store/";

    private StoreMutants() {}

    private static Scenario test(String method, Object... arguments) {
        int dot = method.lastIndexOf('.');
        return new Scenario(PACKAGE + method.substring(0, dot), method.substring(dot + 1), List.of(arguments));
    }

    private static Replacement in(String file, String find, String put) {
        return new Replacement(SOURCES + file + ".java", find, put);
    }

    static List<ScenarioMutant> all() {
        return Stream.of(writing(), reading()).flatMap(List::stream).toList();
    }

    private static List<ScenarioMutant> writing() {
        return List.of(
                new ScenarioMutant(
                        "confirms a write without a force",
                        in(
                                "FileStateStore",
                                "            file.force();\n            size += bytes.length;",
                                "            size += bytes.length;"),
                        test("FileStateStoreCrashTest.holdsWhatItConfirmedWhenPowerIsLostAtAnyCall"),
                        "expected: Checkpoint["),
                new ScenarioMutant(
                        "names a generation that is not forced",
                        in(
                                "FileStateStore",
                                "            file.force();\n            disk.rename(",
                                "            disk.rename("),
                        test("FileStateStoreCrashTest.holdsWhatItConfirmedWhenPowerIsLostAtAnyCall"),
                        "its first checkpoint is not whole"),
                new ScenarioMutant(
                        "renames without a force of the directory",
                        in(
                                "FileStateStore",
                                "            disk.forceDirectory(folder.path());\n            folder.removeOld();",
                                "            folder.removeOld();"),
                        test("FileStateStoreCrashTest.holdsWhatItConfirmedWhenPowerIsLostAtAnyCall"),
                        "expected: Checkpoint["),
                new ScenarioMutant(
                        "makes a folder whose name is not durable",
                        in(
                                "StateFolder",
                                "            disk.createDirectories(next);\n            forceNameOf(next);\n",
                                "            disk.createDirectories(next);\n"),
                        test("FileStateStoreCrashTest.holdsWhatItConfirmedWhenPowerIsLostAtAnyCall"),
                        "expected: Checkpoint["),
                new ScenarioMutant(
                        "appends behind a force that failed",
                        in(
                                "FileStateStore",
                                "        current = null; // I8: it comes back only when its force has succeeded.\n",
                                ""),
                        test("FileStateStoreCrashTest.holdsWhatItConfirmedWhenAnyCallFailsAndPowerIsLostLater"),
                        "expected: Checkpoint["),
                new ScenarioMutant(
                        "tries a force again that failed",
                        in(
                                "FileStateStore",
                                "            file.force();\n            size += bytes.length;",
                                "            try {\n                file.force();\n            } catch (IOException e) {\n                file.force();\n            }\n            size += bytes.length;"),
                        test("FileStateStoreCrashTest.holdsWhatItConfirmedThroughLivesFullOfFaults"),
                        "a whole one follows at offset"),
                new ScenarioMutant(
                        "answers with what was read and not made durable",
                        in(
                                "FileStateStore",
                                "        if (current == null && generation > 0) {\n            write(new StateWrite.Whole(confirmed));\n        }\n",
                                ""),
                        test("FileStateStoreCrashTest.holdsWhatItAnsweredWhenTheProcessWasKilledAndPowerIsLostLater"),
                        "expected: Checkpoint["),
                new ScenarioMutant(
                        "removes an older generation too many",
                        in(
                                "StateFolder",
                                "        old.pollLast();\n        old.pollLast();\n",
                                "        old.pollLast();\n"),
                        test("FileStateStoreDamageTest.keepsTheNewestGenerationAndTheOneBeforeIt"),
                        "could not find the following elements: [\"state-0000000003.log\"]"));
    }

    private static List<ScenarioMutant> reading() {
        return List.of(
                new ScenarioMutant(
                        "reads a record without its checksum",
                        in(
                                "StateFile",
                                "return written.equals(checksum(format, bytes, at, (int) end)) ? (int) end : -1;",
                                "return written.isEmpty() ? -1 : (int) end;"),
                        test("FileStateStoreDamageTest.refusesAFileOfWhichAnyBitOfAnyByteChangedBeforeItsLastRecord"),
                        "Expecting actual not to be null"),
                new ScenarioMutant(
                        "takes damage in the middle for a torn tail",
                        in(
                                "StateFile",
                                "            if (endOfRecord(torn.format(), bytes, later) > 0) {",
                                "            if (endOfRecord(torn.format(), bytes, later) > bytes.length) {"),
                        test("FileStateStoreDamageTest.refusesAFileOfWhichAnyBitOfAnyByteChangedBeforeItsLastRecord"),
                        "Expecting actual not to be null"),
                new ScenarioMutant(
                        "takes a record of another generation for its own",
                        in(
                                "StateFile",
                                "        if (number(bytes, at + SEQUENCE_AT) != HEADER) {",
                                "        if (number(bytes, at + SEQUENCE_AT) < HEADER) {"),
                        test("FileStateStoreDamageTest.readsTheLinesOfTwoGenerationsInAnyMixUpToWhereTheNewestOneEnds"),
                        "record 5 is there instead of 6"),
                new ScenarioMutant(
                        "takes a file without a whole checkpoint for an empty state",
                        in("StateFile", "        if (sequence <= WHOLE) {", "        if (sequence < HEADER) {"),
                        test(
                                "FileStateStoreDamageTest.readsAFileThatWasCutAtAnyLengthUpToItsLastWholeRecordAndRefusesItWithoutACheckpoint"),
                        "Expecting actual not to be null"));
    }
}
