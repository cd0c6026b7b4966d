package io.tidegate.connector.files;

import io.tidegate.testkit.mutant.Replacement;
import io.tidegate.testkit.mutant.Scenario;
import io.tidegate.testkit.mutant.ScenarioMutant;
import java.util.List;

/** The rules of the file sink, each broken once, with the test that must notice. */
final class ConnectorMutants {

    private static final String PACKAGE = "io.tidegate.connector.files.";

    /** What is loaded anew: the connector with its tests. */
    static final String[] ANEW = {PACKAGE};

    private static final String SOURCES = "connectors/files/src/main/java/io/tidegate/connector/files/";

    private ConnectorMutants() {}

    private static Scenario test(String method, Object... arguments) {
        int dot = method.lastIndexOf('.');
        return new Scenario(PACKAGE + method.substring(0, dot), method.substring(dot + 1), List.of(arguments));
    }

    private static Replacement in(String file, String find, String put) {
        return new Replacement(SOURCES + file + ".java", find, put);
    }

    static List<ScenarioMutant> all() {
        return forces();
    }

    private static List<ScenarioMutant> forces() {
        return List.of(
                new ScenarioMutant(
                        "settles before it forced",
                        in(
                                "FileSinkSession",
                                "        try {\n            for (LineStream stream : streams.all()) {\n                stream.force();",
                                "        accepted.forEach(context::durable);\n        try {\n            for (LineStream stream : streams.all()) {\n                stream.force();"),
                        test("FileSinkCrashTest.everySettledLineSurvivesAnEndAtAnyCall", false),
                        "is settled"),
                new ScenarioMutant(
                        "settles without a force",
                        in(
                                "LineStream",
                                "            try {\n                file().force();\n            } catch",
                                "            try {\n                file();\n            } catch"),
                        test("FileSinkCrashTest.everySettledLineSurvivesAnEndAtAnyCall", false),
                        "Expecting value to be true"),
                new ScenarioMutant(
                        "forces lines whose file has no durable name",
                        in(
                                "LineStream",
                                "        try {\n            disk.forceDirectory(folder);\n        } catch",
                                "        try {\n            disk.list(folder);\n        } catch"),
                        test("FileSinkCrashTest.everySettledLineSurvivesAnEndAtAnyCall", false),
                        "is settled"),
                new ScenarioMutant(
                        "tries a force again that failed",
                        in(
                                "LineStream",
                                "                file().force();\n            } catch (IOException e) {\n                throw failed(e);\n            }\n            forced = end;",
                                "                file().force();\n            } catch (IOException e) {\n                file().force();\n            }\n            forced = end;"),
                        test("FileSinkCrashTest.afterAFailureOfAnyCallTheNextSessionOrProcessGoesOn", false),
                        "JsonParseException"),
                new ScenarioMutant(
                        "appends behind a write that failed",
                        in(
                                "LineStream",
                                "        lengths.failed(path(), forced);\n",
                                "        lengths.forced(path(), forced);\n"),
                        test("FileSinkCrashTest.aFileWhoseForceFailedIsFinishedAtItsForcedLengthAndNeverAppendedTo"),
                        "NoSuchFileException: /data/out/p-00000001.jsonl"),
                new ScenarioMutant(
                        "leaves a torn line where it is",
                        in(
                                "LineStream",
                                "            end = LineRepair.repair(opened);\n",
                                "            end = opened.size();\n"),
                        test("FileSinkCrashTest.everySettledLineSurvivesAnEndAtAnyCall", false),
                        "JsonParseException"));
    }
}
