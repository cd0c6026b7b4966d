package io.tidegate.connector.jdbc;

import io.tidegate.testkit.mutant.Replacement;
import io.tidegate.testkit.mutant.Scenario;
import io.tidegate.testkit.mutant.ScenarioMutant;
import java.util.List;
import java.util.stream.Stream;

/** The rules of the JDBC sink, each broken once, with the test that must notice. */
final class ConnectorMutants {

    private static final String PACKAGE = "io.tidegate.connector.jdbc.";

    /** What is loaded anew: the connector with its tests. */
    static final String[] ANEW = {PACKAGE};

    private static final String SOURCES = "connectors/jdbc/src/main/java/io/tidegate/connector/jdbc/";

    private ConnectorMutants() {}

    private static Scenario test(String method, Object... arguments) {
        int dot = method.lastIndexOf('.');
        return new Scenario(PACKAGE + method.substring(0, dot), method.substring(dot + 1), List.of(arguments));
    }

    private static Replacement in(String file, String find, String put) {
        return new Replacement(SOURCES + file + ".java", find, put);
    }

    static List<ScenarioMutant> all() {
        return Stream.of(outcomes(), rows(), copies(), sessions())
                .flatMap(List::stream)
                .toList();
    }

    private static List<ScenarioMutant> outcomes() {
        return List.of(
                new ScenarioMutant(
                        "reports what it accepted before it is committed",
                        in(
                                "JdbcSession",
                                "        try {\n            write();\n",
                                "        accepted.forEach(context::durable);\n        try {\n            write();\n"),
                        test("UnknownOutcomeIT.aCommitWhoseAnswerIsLostIsAFailureAndItsChangesLandOnce", "upsert"),
                        "to contain exactly"),
                new ScenarioMutant(
                        "reports what it took back because one change was refused",
                        in(
                                "JdbcSession",
                                "            takeBack(e);\n            throw e;\n",
                                "            takeBack(e);\n"),
                        test("PostgresUpsertIT.namesTheRefusedChangeAndKeepsWhatWasAcceptedBefore"),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "reports a commit that was refused",
                        in(
                                "JdbcSession",
                                "            throw newest.rejected(\"at the commit: \" + dialect.failures().reason(e, table));\n",
                                "            connection.rollback();\n"),
                        test("PostgresUpsertIT.aDeferredConstraintRefusesAtTheCommitAndNothingIsDurable"),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "takes a write that failed for a success",
                        in(
                                "JdbcSession",
                                "            throw dialect.failures().of(e, \"writing to \" + config.login().url().display());\n",
                                "            state = State.OPEN;\n"),
                        test("UnknownOutcomeIT.aCommitThatDidNotLandIsAFailureAndWrittenAgain", "upsert"),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "writes what the target has already",
                        in(
                                "JdbcSession",
                                "if (durable != null && Arrays.compareUnsigned(ordinal, durable) <= 0) {",
                                "if (durable != null && durable.length == 0) {"),
                        test("PostgresUpsertIT.writesAChangeThatComesAgainNotAgain"),
                        "others were not expected: [\"2\"]"),
                new ScenarioMutant(
                        "leaves out a change because its ordinal compares with a sign",
                        in(
                                "JdbcSession",
                                "if (durable != null && Arrays.compareUnsigned(ordinal, durable) <= 0) {",
                                "if (durable != null && Arrays.compare(ordinal, durable) <= 0) {"),
                        test("PostgresUpsertIT.keepsTheOrderOfTheChangesOfOneKeyInsideABatch"),
                        "could not find the following elements: [\"1|e\"]"));
    }

    private static List<ScenarioMutant> rows() {
        return List.of(
                new ScenarioMutant(
                        "inserts a part of a row that is missing",
                        in(
                                "GroupWriter",
                                "                return rows.patch(table, RowChange.known(change.image()), image) != 0;\n",
                                "                rows.put(table, RowChange.known(change.image()), image);\n"),
                        test("PostgresUpsertIT.aPartialUpdateOfAMissingRowIsAnErrorAndNeverAnInsert"),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "takes an update that met no row for done",
                        in(
                                "GroupWriter",
                                "            if (!written(change)) {",
                                "            if (!written(change) && false) {"),
                        test("PostgresUpsertIT.aPartialUpdateOfAMissingRowIsAnErrorAndNeverAnInsert"),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "counts no row that several updates at once missed",
                        in(
                                "GroupWriter",
                                "                        != patches.getValue().size()) {",
                                "                        < 0) {"),
                        test("PostgresUpsertIT.aPartialUpdateOfAMissingRowIsAnErrorAndNeverAnInsert"),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "renames a row over one that has its new key",
                        in(
                                "PostgresRows",
                                "        if (patchWithKey(table, columns, image, key(table, image)) > 0) {\n            removeOther(table, oldKey, key(table, image));\n            return true;\n        }\n",
                                "        remove(table, List.<Object[]>of(key(table, image)));\n"),
                        test("PostgresUpsertIT.aChangedKeyThatIsThereAlreadyIsUpdatedAndTheOldOneDeleted"),
                        "others were not expected: [\"2|moved|kept1\"]"),
                new ScenarioMutant(
                        "leaves the row of the old key behind",
                        in("PostgresRows", "            removeOther(table, oldKey, key(table, image));\n", ""),
                        test("PostgresUpsertIT.aChangedKeyThatIsThereAlreadyIsUpdatedAndTheOldOneDeleted"),
                        "were not expected: [\"1|old|kept1\"]"),
                new ScenarioMutant(
                        "deletes the row whose key got another spelling",
                        in(
                                "PostgresRows",
                                " AND NOT (\" + equal(table) + \")\");",
                                " AND (true OR \" + equal(table) + \")\");"),
                        test("PostgresUpsertIT.aKeyThatChangesToAnotherSpellingOfItselfStays"),
                        "could not find the following elements: [\"1.00|b\"]"),
                new ScenarioMutant(
                        "gives up a table that a deferred constraint keeps from being truncated",
                        in("PostgresRows", "if (!IN_USE.equals(e.getSQLState())", "if (IN_USE.equals(e.getSQLState())"),
                        test("PostgresUpsertIT.aTruncateBehindRowsThatADeferredConstraintWaitsForEmptiesTheTables"),
                        "pending trigger events"),
                new ScenarioMutant(
                        "writes the changes of one key in any order",
                        in(
                                "ChangeGroup",
                                "return new Outcome(next.key(), first.remove(), merged, first.patch() && next.patch());",
                                "return first;"),
                        test("PostgresUpsertIT.leavesTheRowsOfTheSourceAndTheOrdinalOfTheLastChange", 17),
                        "others were not expected: [\"1|a|x\"]"));
    }

    /** What goes by COPY. */
    private static List<ScenarioMutant> copies() {
        return List.of(
                new ScenarioMutant(
                        "passes a rule of the target by",
                        in(
                                "PostgresRows",
                                "        return !table.facts().rules()\n                && columns.stream()\n",
                                "        return columns.stream()\n"),
                        test("PostgresUpsertIT.anInsertIntoATableWithARuleIsRewrittenByIt"),
                        "to contain exactly"),
                new ScenarioMutant(
                        "sends a backslash as it is",
                        in("CopyLines", "if (b == '\\\\' || (b <= '\\r'", "if ((b <= '\\r'"),
                        test("PostgresUpsertIT.insertsOfNewRowsOfOtherFormsArriveAsTheyAre"),
                        "to contain exactly"),
                new ScenarioMutant(
                        "adds rows of the temporary table that are there already",
                        in(
                                "PostgresRows",
                                "insert(table, columns, \" FROM \" + STAGE + \" AS u\") + onConflict",
                                "insert(table, columns, \" FROM \" + STAGE + \" AS u\")"),
                        test("PostgresUpsertIT.manyUpdatesAtOnceArriveAsTheyAre"),
                        "to contain exactly"),
                new ScenarioMutant(
                        "keeps its temporary table until the commit",
                        in("PostgresRows", "        Sql.execute(connection, \"DROP TABLE \" + STAGE);\n", ""),
                        test("PostgresUpsertIT.manyUpdatesAtOnceOfSeveralTables"),
                        "to contain exactly"),
                new ScenarioMutant(
                        "fails where it may make no temporary table",
                        in(
                                "PostgresRows",
                                "            return false;\n        }\n        connection.releaseSavepoint(before);\n",
                                "            throw e;\n        }\n        connection.releaseSavepoint(before);\n"),
                        test("PostgresUpsertIT.manyUpdatesAtOnceNeedNoTemporaryTable"),
                        "SQLSTATE 42501"));
    }

    private static List<ScenarioMutant> sessions() {
        return List.of(
                new ScenarioMutant(
                        "writes though a newer session was opened",
                        in("PositionTable", "if (lockedEpoch() != epoch) {", "if (lockedEpoch() < 0) {"),
                        test("UnknownOutcomeIT.aSessionThatWakesUpLateWritesNothing"),
                        "Expecting code to raise a throwable"),
                new ScenarioMutant(
                        "leaves a frozen process in its COPY",
                        in("JdbcSink", "            dialect.endSilent(connection, name);\n", ""),
                        test("UnknownOutcomeIT.aSessionEndsACopyThatHasWaitedForAFrozenProcess"),
                        "lock timeout"),
                new ScenarioMutant(
                        "ends the COPY of another pipeline",
                        in(
                                "PostgresDialect",
                                " AND application_name = current_setting('application_name')",
                                " AND application_name <> current_setting('application_name')"),
                        test("UnknownOutcomeIT.aSessionEndsNobodyElse"),
                        "to contain exactly"),
                new ScenarioMutant(
                        "ends who waits for the server and not for a client",
                        in(
                                "PostgresDialect",
                                " AND state = 'active' AND wait_event = 'ClientRead'",
                                " AND state = 'active'"),
                        test("UnknownOutcomeIT.aSessionEndsNobodyElse"),
                        "to contain exactly"),
                new ScenarioMutant(
                        "ends a COPY that does not hold its position table",
                        in(
                                "PostgresDialect",
                                "WHERE l.pid = a.pid AND l.relation = to_regclass(?))",
                                "WHERE l.pid = a.pid AND to_regclass(?) IS NOT NULL)"),
                        test("UnknownOutcomeIT.aSessionEndsNobodyElse"),
                        "to contain exactly"),
                new ScenarioMutant(
                        "does not wait for the transaction of a dead session",
                        in(
                                "PositionTable",
                                " WHERE pipeline = ? AND lineage = ? FOR UPDATE\"",
                                " WHERE pipeline = ? AND lineage = ?\""),
                        test("UnknownOutcomeIT.aSessionWaitsForWhatADeadOneStillHasExecuted"),
                        "whether it waits for the dead one"));
    }
}
