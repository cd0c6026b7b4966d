package io.tidegate.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One line that the sink holds.
 *
 * @param op as in the format: c, u, d, r, t
 * @param table without its schema
 * @param key empty for a truncate
 * @param before empty if the log has nothing of the old row
 * @param after empty for d and t
 * @param unchanged columns that kept the value they had
 * @param commit where it stands: the commit LSN in the log, or the point of the snapshot
 * @param number of the change within its transaction; 0 in a snapshot
 * @param attempt at the snapshot; 0 in the log
 * @param text the whole line
 */
record Delivered(
        String op,
        String table,
        Optional<ObjectNode> key,
        Optional<ObjectNode> before,
        Optional<ObjectNode> after,
        List<String> unchanged,
        long commit,
        int number,
        int attempt,
        String text) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Delivered parse(String line) {
        JsonNode node;
        try {
            node = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a line of JSON: " + line, e);
        }
        JsonNode source = node.path("source");
        boolean snapshot = source.required("snapshot").booleanValue();
        List<String> unchanged = new ArrayList<>();
        node.path("unchanged").forEach(column -> unchanged.add(column.textValue()));
        return new Delivered(
                node.required("op").textValue(),
                source.required("table").textValue(),
                object(node, "key"),
                object(node, "before"),
                object(node, "after"),
                unchanged,
                lsn(source.required(snapshot ? "lsn" : "commit_lsn").textValue()),
                snapshot ? 0 : source.required("number").intValue(),
                snapshot ? source.required("attempt").intValue() : 0,
                line);
    }

    boolean inLog() {
        return attempt == 0;
    }

    /** Whether it stands behind another change of the log. */
    int comparePlace(Delivered other) {
        int byCommit = Long.compareUnsigned(commit, other.commit);
        return byCommit != 0 ? byCommit : Integer.compare(number, other.number);
    }

    String place() {
        return printLsn(commit) + (inLog() ? "#" + number : " of attempt " + attempt);
    }

    static long lsn(String text) {
        int slash = text.indexOf('/');
        return Long.parseLong(text.substring(0, slash), 16) << 32 | Long.parseLong(text.substring(slash + 1), 16);
    }

    static String printLsn(long lsn) {
        return "%X/%X".formatted(lsn >>> 32, lsn & 0xFFFF_FFFFL);
    }

    private static Optional<ObjectNode> object(JsonNode node, String field) {
        return node.required(field) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
    }
}
