package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.server.TableSelection;
import java.util.List;
import java.util.Set;

/**
 * Tables that the patterns match and that were not there when the pipeline began: nothing of them is captured, because
 * tables have no state of their own yet.
 */
public final class NewTables {

    /** What can be done about one. */
    public static final String CURE = "read it with a pipeline of its own; or run 'tidegate remove FILE' and 'tidegate state"
            + " reset FILE', then start again: a new snapshot of all tables runs";

    private NewTables() {}

    /** Those that are there now, in the order of their names. */
    public static List<Relation> of(PostgresConfig config, SqlSession control, BirthRecord record) {
        Set<Long> ours = record.fingerprint().tables();
        return TableSelection.of(config.tables(), Relation.all(control)).tables().stream()
                .filter(table -> !ours.contains(table.oid()))
                .toList();
    }
}
