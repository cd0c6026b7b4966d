package io.tidegate.demo.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One table {@code t} of key {@code id} and column {@code v}, and what a comparison says of it. */
class ComparisonTest {

    private static final long POINT = 0x1000;

    private final List<String> lines = new ArrayList<>();
    private final List<CommittedChange> ledger = new ArrayList<>();
    private final Map<Long, Long> commits = new HashMap<>();
    private final List<String> finalRows = new ArrayList<>();

    @Test
    void nothingIsMissingWhenEachChangeWasDeliveredOrLiesBeforeTheSnapshot() {
        commit(1, POINT - 8, "c t 1");
        commit(2, POINT, "u t 1");
        commit(3, POINT + 8, "c t 2");
        commit(4, POINT + 16, "d t 2");
        read(POINT, 1, "\"a\"");
        log(2, POINT, "u", 1, "\"b\"");
        log(3, POINT + 8, "c", 2, "\"c\"");
        log(4, POINT + 16, "d", 2, null);
        finalRow(1, "\"b\"");

        assertThat(verdict()).isEqualTo(new Verdict(4, 1, 3, 0, 0, 0, 0, List.of()));
        assertThat(verdict().good()).isTrue();
    }

    @Test
    void findsALineThatWasLostAlthoughALaterOneHidesIt() {
        commit(1, POINT, "u t 1");
        commit(2, POINT + 8, "u t 1");
        read(POINT, 1, "\"a\"");
        log(2, POINT + 8, "u", 1, "\"c\"");
        finalRow(1, "\"c\"");

        assertThat(verdict().missing()).isEqualTo(1);
        assertThat(verdict().examples()).containsExactly("u t 1 of transaction 1 was not delivered");
        assertThat(verdict().good()).isFalse();
    }

    @Test
    void aCommitBelowTheSnapshotsPointIsInItAndOneAtThePointIsNot() {
        commit(1, POINT - 1, "u t 1");
        commit(2, POINT, "u t 1");
        read(POINT, 1, "\"a\"");
        finalRow(1, "\"a\"");

        assertThat(verdict().inSnapshot()).isEqualTo(1);
        assertThat(verdict().missing()).isEqualTo(1);
    }

    @Test
    void findsALostDeleteInTheLedgerAndInTheTable() {
        commit(1, POINT, "d t 1");
        read(POINT, 1, "\"a\"");
        read(POINT, 2, "\"a\"");
        finalRow(2, "\"a\"");

        assertThat(verdict().missing()).isEqualTo(2);
        assertThat(verdict().examples()).contains("a replay still has the row 1 of t");
    }

    @Test
    void findsARowThatTheSnapshotLeftOut() {
        read(POINT, 1, "\"a\"");
        finalRow(1, "\"a\"");
        finalRow(2, "\"b\"");

        assertThat(verdict().examples()).containsExactly("a replay does not give the row 2 of t");
    }

    @Test
    void findsAValueThatDiffersInADigit() {
        read(POINT, 1, "1.5");
        finalRow(1, "1.50");

        assertThat(verdict().missing()).isEqualTo(1);
    }

    @Test
    void findsARowThatTheServerCountsAndNoSnapshotHas() {
        read(POINT, 1, "\"a\"");
        finalRow(1, "\"a\"");

        assertThat(verdict(2).missing()).isEqualTo(1);
    }

    @Test
    void countsWhatComesAgainAsDuplicatesAndAppliesItOnce() {
        commit(1, POINT, "u t 2");
        commit(2, POINT + 8, "c t 1");
        read(POINT, 1, "\"a\"");
        // The key changes from 1 to 2, and the value is not in the log. Applied again it would take the new row's
        // value.
        String moved = "{\"op\":\"u\",\"source\":" + logged(1, POINT) + ",\"key\":{\"id\":2},\"before\":{\"id\":1},"
                + "\"after\":{\"id\":2},\"unchanged\":[\"v\"]}";
        lines.add(moved);
        log(2, POINT + 8, "c", 1, "\"z\"");
        lines.add(moved);
        log(2, POINT + 8, "c", 1, "\"z\"");
        finalRow(1, "\"z\"");
        finalRow(2, "\"a\"");

        assertThat(verdict()).isEqualTo(new Verdict(2, 0, 2, 2, 0, 0, 0, List.of()));
    }

    @Test
    void aRowWhoseKeyChangesLeavesItsOldKey() {
        commit(1, POINT, "u t 2");
        read(POINT, 1, "\"a\"");
        lines.add("{\"op\":\"u\",\"source\":" + logged(1, POINT) + ",\"key\":{\"id\":2},\"before\":{\"id\":1},"
                + "\"after\":{\"id\":2},\"unchanged\":[\"v\"]}");
        finalRow(2, "\"a\"");

        assertThat(verdict()).isEqualTo(new Verdict(1, 0, 1, 0, 0, 0, 0, List.of()));
    }

    @Test
    void findsAChangeThatComesAgainAsAnother() {
        commit(1, POINT, "u t 1");
        read(POINT, 1, "\"a\"");
        log(1, POINT, "u", 1, "\"b\"");
        log(1, POINT, "d", 1, null);
        finalRow(1, "\"b\"");

        assertThat(verdict()).isEqualTo(new Verdict(1, 0, 1, 0, 0, 1, 0, List.of()));
    }

    @Test
    void findsAnUnchangedValueThatWasNeverDelivered() {
        commit(1, POINT, "u t 1");
        lines.add("{\"op\":\"u\",\"source\":" + logged(1, POINT) + ",\"key\":{\"id\":1},\"before\":null,"
                + "\"after\":{\"id\":1},\"unchanged\":[\"v\"]}");
        finalRow(1, "\"a\"");

        assertThat(verdict().examples()).containsExactly("a replay does not give the row 1 of t");
    }

    @Test
    void aSnapshotThatStartsAgainVoidsTheOneBeforeAndRaisesThePoint() {
        commit(1, POINT + 8, "d t 1");
        read(POINT, 1, "\"a\"");
        read(POINT, 2, "\"a\"");
        lines.add("{\"op\":\"t\",\"source\":" + snapshot(POINT + 16) + ",\"key\":null,\"before\":null,\"after\":null}");
        read(POINT + 16, 2, "\"a\"");
        finalRow(2, "\"a\"");

        assertThat(verdict()).isEqualTo(new Verdict(1, 1, 0, 1, 0, 0, 0, List.of()));
    }

    @Test
    void findsAChangeThatWasNeverCommitted() {
        read(POINT, 1, "\"a\"");
        log(9, POINT, "d", 1, null);

        assertThat(verdict().unknown()).isEqualTo(1);
        assertThat(verdict().good()).isFalse();
    }

    @Test
    void findsAChangeThatWasDeliveredAsAnother() {
        commit(1, POINT, "c t 2");
        read(POINT, 1, "\"a\"");
        log(1, POINT, "d", 1, null);

        assertThat(verdict().examples()).containsExactly("c t 2 of transaction 1 was delivered as d t 1");
    }

    @Test
    void findsChangesThatComeInAnotherOrder() {
        commit(1, POINT, "u t 1");
        commit(2, POINT + 8, "u t 1");
        read(POINT, 1, "\"a\"");
        log(2, POINT + 8, "u", 1, "\"c\"");
        log(1, POINT, "u", 1, "\"b\"");
        finalRow(1, "\"b\"");

        assertThat(verdict().outOfOrder()).isEqualTo(1);
        assertThat(verdict().good()).isFalse();
    }

    @Test
    void aLineThatIsNoneIsAnError() {
        Delivery delivery = new Delivery();

        assertThatThrownBy(() -> delivery.line("{\"op\":\"u\",\"sour")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> delivery.line("{\"op\":\"u\"}")).isInstanceOf(IllegalArgumentException.class);
    }

    private void commit(long tx, long commitLsn, String content) {
        String[] words = content.split(" ", -1);
        ledger.add(new CommittedChange(new ChangeId(tx, 1), words[0], words[1], words[2]));
        commits.put(tx, commitLsn);
    }

    private void read(long point, int id, String value) {
        lines.add(row(point, id, value));
    }

    private void finalRow(int id, String value) {
        finalRows.add(row(POINT * 9, id, value));
    }

    private static String row(long point, int id, String value) {
        return "{\"op\":\"r\",\"source\":" + snapshot(point) + ",\"key\":{\"id\":" + id
                + "},\"before\":null,\"after\":{\"id\":" + id + ",\"v\":" + value + "}}";
    }

    private void log(long tx, long commitLsn, String op, int id, String value) {
        String key = "{\"id\":" + id + "}";
        String after = value == null ? "null" : "{\"id\":" + id + ",\"v\":" + value + "}";
        lines.add("{\"op\":\"" + op + "\",\"source\":" + logged(tx, commitLsn) + ",\"key\":" + key + ",\"before\":"
                + (op.equals("d") ? key : "null") + ",\"after\":" + after + "}");
    }

    private static String logged(long tx, long commitLsn) {
        return "{\"schema\":\"s\",\"table\":\"t\",\"tx\":" + tx + ",\"commit_lsn\":\"0/" + Long.toHexString(commitLsn)
                + "\",\"number\":1,\"snapshot\":false}";
    }

    private static String snapshot(long point) {
        return "{\"schema\":\"s\",\"table\":\"t\",\"lsn\":\"0/" + Long.toHexString(point) + "\",\"snapshot\":true}";
    }

    private Verdict verdict() {
        return verdict(finalRows.size());
    }

    private Verdict verdict(long rowCount) {
        Delivery delivery = new Delivery();
        lines.forEach(delivery::line);
        Delivery finalTables = new Delivery();
        finalRows.forEach(finalTables::line);
        Comparison comparison = new Comparison(delivery, new CommitOrder(commits));
        ledger.forEach(comparison::committed);
        return comparison.verdict(finalTables, Map.of("t", rowCount));
    }
}
