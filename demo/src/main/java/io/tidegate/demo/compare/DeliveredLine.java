package io.tidegate.demo.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line of the format {@code json}, as far as the comparison needs it.
 *
 * @param source of a log change its transaction and place, of a snapshot's line its point
 * @param key of the row that the change leaves or removes; empty for a truncate
 * @param oldKey the key before, if the line holds it whole; else {@code key}
 * @param after the columns of the new row, each value as JSON text; empty for a delete and a truncate
 * @param unchanged columns that keep their value, which the line does not hold
 */
record DeliveredLine(
        String op,
        String table,
        Place source,
        String key,
        String oldKey,
        Map<String, String> after,
        List<String> unchanged) {

    // Numbers to the digit: 1.50 and 1.5 are two values here.
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** Where a line comes from. */
    sealed interface Place {}

    /** A change in the log. */
    record InLog(ChangeId id, long commitLsn) implements Place {}

    /** A row, or the truncate, of a snapshot of this point. */
    record InSnapshot(long point) implements Place {}

    /** @throws IllegalArgumentException if the line is not one of this format */
    static DeliveredLine parse(String line) {
        try {
            JsonNode json = JSON.readTree(line);
            JsonNode key = json.required("key");
            List<String> unchanged = new ArrayList<>();
            json.path("unchanged").forEach(column -> unchanged.add(column.asText()));
            String keyText = values(key, key);
            return new DeliveredLine(
                    json.required("op").asText(),
                    json.required("source").required("table").asText(),
                    place(json.required("source")),
                    keyText == null ? "" : keyText,
                    oldKey(json, key, keyText == null ? "" : keyText),
                    columns(json.required("after")),
                    List.copyOf(unchanged));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a line of JSON: " + line, e);
        }
    }

    /** What was done to which row. */
    String content() {
        return op + " " + table + " " + key;
    }

    private static Place place(JsonNode source) {
        if (source.required("snapshot").booleanValue()) {
            return new InSnapshot(CommitOrder.parseLsn(source.required("lsn").asText()));
        }
        return new InLog(
                new ChangeId(
                        source.required("tx").longValue(),
                        source.required("number").intValue()),
                CommitOrder.parseLsn(source.required("commit_lsn").asText()));
    }

    private static String oldKey(JsonNode json, JsonNode key, String otherwise) {
        String old = values(key, json.required("before"));
        return old == null || key.isNull() ? otherwise : old;
    }

    /** The values that {@code row} has in the columns of {@code key}, or null if it does not have them all. */
    private static @Nullable String values(JsonNode key, JsonNode row) {
        List<String> values = new ArrayList<>();
        for (Map.Entry<String, JsonNode> column : key.properties()) {
            JsonNode value = row.get(column.getKey());
            if (value == null) {
                return null;
            }
            values.add(value.asText());
        }
        return String.join("/", values);
    }

    private static Map<String, String> columns(JsonNode row) {
        Map<String, String> columns = new LinkedHashMap<>();
        row.properties()
                .forEach(
                        column -> columns.put(column.getKey(), column.getValue().toString()));
        return columns;
    }
}
