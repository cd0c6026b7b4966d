package io.tidegate.chaos;

import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A second slot beside the pipeline's, which nobody ever acknowledges: an upstream that forgets nothing. It tells what was
 * committed, and the pipeline's slot can be put back to it.
 */
final class Retained {

    private final PostgresServer server;
    private final String database;
    private final String pipelines;
    private final String kept;
    private final long from;

    private Retained(PostgresServer server, String database) throws SQLException {
        this.server = server;
        this.database = database;
        this.pipelines = "tidegate_" + database;
        this.kept = "retained_" + database;
        from = Delivered.lsn(server.queryIn(
                        database,
                        "SELECT c.lsn FROM pg_copy_logical_replication_slot('" + pipelines + "', '" + kept + "') c")
                .get(0));
    }

    /** Keeps all that the slot of a pipeline holds now, and what is still to come. */
    static Retained of(PostgresServer server, Trial trial) throws SQLException {
        return new Retained(server, trial.name());
    }

    /** Takes back all that the pipeline has acknowledged. Only while no process runs. */
    void putBack() throws SQLException {
        server.queryIn(database, "SELECT pg_drop_replication_slot('" + pipelines + "')");
        server.queryIn(database, "SELECT pg_copy_logical_replication_slot('" + kept + "', '" + pipelines + "')");
    }

    /** By commit LSN, how many changes each transaction has that was committed since. */
    Map<Long, Integer> history() throws SQLException {
        List<String> messages = server.queryIn(
                database,
                "SELECT chr(get_byte(data, 0)), CASE WHEN get_byte(data, 0) = 66 THEN encode(substring(data, 2, 8), 'hex') END"
                        + " FROM pg_logical_slot_peek_binary_changes('" + kept
                        + "', NULL, NULL, 'proto_version', '1', 'publication_names', '" + pipelines + "')");
        Map<Long, Integer> changes = new HashMap<>();
        long commit = 0;
        for (String message : messages) {
            switch (message.charAt(0)) {
                case 'B' -> commit = Long.parseUnsignedLong(message.substring(2), 16);
                case 'I', 'U', 'D', 'T' -> changes.merge(commit, 1, Integer::sum);
                default -> {} // what tables and types are called, and where transactions end
            }
        }
        return changes;
    }

    /** What is wrong with changes that a sink holds, given what was committed since this began. */
    List<String> faults(List<Delivered> delivered) throws SQLException {
        long snapshot = from;
        Map<Long, Map<Integer, Delivered>> log = new HashMap<>();
        for (Delivered line : delivered) {
            if (line.inLog()) {
                log.computeIfAbsent(line.commit(), commit -> new HashMap<>()).put(line.number(), line);
            } else {
                snapshot = Math.max(snapshot, line.commit());
            }
        }
        long since = snapshot;
        Map<Long, Integer> history = history();
        if (history.keySet().stream().noneMatch(commit -> commit >= since)) {
            return List.of("it has nothing from " + Delivered.printLsn(since) + " on");
        }
        return history.entrySet().stream()
                .filter(transaction -> transaction.getKey() >= since)
                .filter(transaction ->
                        log.getOrDefault(transaction.getKey(), Map.of()).size() != transaction.getValue())
                .map(transaction -> "of the " + transaction.getValue() + " changes committed at "
                        + Delivered.printLsn(transaction.getKey()) + ", delivered: "
                        + log.getOrDefault(transaction.getKey(), Map.of()).size())
                .toList();
    }

    void drop() throws SQLException {
        server.queryIn(database, "SELECT pg_drop_replication_slot('" + kept + "')");
    }
}
