package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verdict finds what a faulty engine would do; each fault is put into lines that are right. */
class VerdictTest {

    private static final String INSERTED = log(0x20, 1, "c", 1, null, "{'id':1,'token':5,'v':'x'}");
    private static final String INSERTED_ENTRY = entry(0x20, 2, 11, "c", 5);
    private static final String MOVED = log(0x30, 1, "u", 2, "{'id':1}", "{'id':2,'token':6}") // v is unchanged
            .replace("}}", "},\"unchanged\":[\"v\"]}");
    private static final String MOVED_ENTRY = entry(0x30, 2, 12, "u", 6);
    private static final String DELETED = log(0x40, 1, "d", 7, null, "null");
    private static final String DELETED_ENTRY = entry(0x40, 2, 13, "d", 7);

    private static final List<String> RIGHT = List.of(
            snapshot(1, "t", "null"), // as if the attempt before had delivered nothing
            snapshot(1, "r", "{'id':7,'token':1,'v':'s'}"),
            INSERTED,
            INSERTED_ENTRY,
            MOVED,
            MOVED_ENTRY,
            DELETED,
            DELETED_ENTRY);

    private static final Set<Long> COMMITTED = Set.of(11L, 12L, 13L);

    @Test
    void findsNothingInLinesThatAreRight() {
        assertThat(faults(RIGHT)).isEmpty();
    }

    @Test
    void findsNothingInTransactionsThatComeAgainFromTheBeginningOfOneOn() {
        List<String> lines = new ArrayList<>(RIGHT.subList(0, 5));
        lines.addAll(RIGHT.subList(2, 5));
        lines.addAll(RIGHT.subList(4, 8));

        assertThat(faults(lines)).isEmpty();
        assertThat(verdict(lines).summary()).contains("4 lines again in 2 returns");
    }

    @Test
    void findsNothingInAnAttemptThatBeginsAgain() {
        List<String> lines = new ArrayList<>(RIGHT.subList(0, 2));
        lines.add(snapshot(2, "t", "null"));
        lines.add(snapshot(2, "r", "{'id':7,'token':1,'v':'s'}"));
        lines.addAll(RIGHT.subList(2, 8));

        assertThat(faults(lines)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 6})
    void findsAChangeThatIsMissing(int line) {
        assertThat(faults(without(line))).anyMatch(fault -> fault.startsWith("L3"));
    }

    @Test
    void findsATransactionThatIsMissing() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.removeAll(List.of(MOVED, MOVED_ENTRY));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("L1") && fault.contains("[12]"));
    }

    @Test
    void findsALostDeleteInTheTablesToo() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.remove(DELETED);

        assertThat(faults(lines)).anyMatch(fault -> fault.contains("has too much"));
    }

    @Test
    void findsARowOfTheSnapshotThatIsMissing() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.remove(1);

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("R2"));
    }

    @Test
    void findsARowOfASnapshotBehindWhatTheLogHasOfItsTable() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.add(snapshot(2, "r", "{'id':7,'token':1,'v':'s'}"));

        assertThat(faults(lines))
                .anyMatch(fault -> fault.startsWith("O3: a row of a snapshot after changes of the log"));
    }

    @Test
    void findsAnAttemptThatDoesNotBeginWithATruncate() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.add(2, snapshot(2, "r", "{'id':7,'token':1,'v':'s'}"));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("O3")).anyMatch(fault -> fault.startsWith("R1"));
    }

    @Test
    void findsTransactionsInTheWrongOrder() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.removeAll(List.of(DELETED, DELETED_ENTRY));
        lines.addAll(2, List.of(DELETED, DELETED_ENTRY));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("O1"));
    }

    @Test
    void findsAGapInWhatComesAgain() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.addAll(List.of(INSERTED, INSERTED_ENTRY, DELETED, DELETED_ENTRY));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("O2") && fault.contains("left out"));
    }

    @Test
    void findsThatWhatComesAgainBeginsInsideATransaction() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.add(DELETED_ENTRY);

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("O2") && fault.contains("inside a transaction"));
    }

    @Test
    void findsThatWhatComesAgainStopsShort() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.addAll(List.of(MOVED, MOVED_ENTRY));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("O2") && fault.contains("ends at"));
    }

    @Test
    void findsThatAChangeComesAgainAsAnother() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.addAll(List.of(DELETED.replace("\"op\":\"d\"", "\"op\":\"d\" "), DELETED_ENTRY));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("O2") && fault.contains("something else"));
    }

    @Test
    void findsWhatTheSnapshotHoldsToo() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.add(1, snapshotEntry(11));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("L1") && fault.contains("in the log"));
    }

    @Test
    void findsAChangeBelowTheSnapshotPoint() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.addAll(2, List.of(log(0x0F, 1, "u", 7, null, "{'id':7,'token':3,'v':'s'}"), entry(0x0F, 2, 10, "u", 3)));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("O4"));
    }

    @Test
    void findsWhatWasNeverCommitted() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.add(entry(0x50, 1, 14, "c", 8).replace("\"n\":1", "\"n\":0"));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("L2"));
    }

    @Test
    void findsAValueThatIsAnother() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.set(2, INSERTED.replace("\"x\"", "\"y\""));

        assertThat(faults(lines)).anyMatch(fault -> fault.contains("has {"));
    }

    @Test
    void findsALineThatIsCut() {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.add(DELETED.substring(0, 40));

        assertThat(faults(lines)).anyMatch(fault -> fault.startsWith("line 9"));
    }

    private static List<String> without(int line) {
        List<String> lines = new ArrayList<>(RIGHT);
        lines.remove(line);
        return lines;
    }

    private static List<String> faults(List<String> lines) {
        return verdict(lines).faults();
    }

    /** Against the tables that the right lines give. */
    private static Verdict verdict(List<String> lines) {
        List<String> tables = new ArrayList<>();
        tables.add(snapshot(1, "r", "{'id':2,'token':6,'v':'x'}"));
        RIGHT.stream()
                .filter(line -> line.contains("\"table\":\"ledger\""))
                .map(line -> line.replace("{\"op\":\"c\"", "{\"op\":\"r\""))
                .forEach(tables::add);
        return Verdict.of(lines.stream(), COMMITTED, tables.stream());
    }

    private static String log(int commit, int number, String op, int key, String before, String after) {
        return line(op, "item", "{'id':" + key + "}", before == null ? "null" : before, after, place(commit, number));
    }

    private static String entry(int commit, int number, int id, String op, int token) {
        return line("c", "ledger", "{'id':" + id + "}", "null", entryRow(id, op, token), place(commit, number));
    }

    private static String snapshotEntry(int id) {
        return line("r", "ledger", "{'id':" + id + "}", "null", entryRow(id, "c", 5), attempt(1));
    }

    private static String entryRow(int id, String op, int token) {
        return "{'id':" + id + ",'tab':'item','op':'" + op + "','n':1,'token':" + token + "}";
    }

    private static String snapshot(int attempt, String op, String row) {
        String key = op.equals("t") ? "null" : row.substring(0, row.indexOf(',')) + "}";
        return line(op, "item", key, "null", row, attempt(attempt));
    }

    private static String place(int commit, int number) {
        return "'commit_lsn':'0/%X','number':%d,'snapshot':false".formatted(commit, number);
    }

    private static String attempt(int attempt) {
        return "'lsn':'0/10','snapshot':true,'attempt':" + attempt;
    }

    private static String line(String op, String table, String key, String before, String after, String place) {
        return "{'op':'%s','source':{'schema':'public','table':'%s',%s},'key':%s,'before':%s,'after':%s}"
                .formatted(op, table, place, key, before, after)
                .replace('\'', '"');
    }
}
