package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.RaisedLsn;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.TidegateException;
import java.util.List;
import java.util.Map;

/** The part of a check that asks whether a pipeline with a state can go on; what a session would stop with is a finding. */
final class ContinuityChecks {

    private final List<Finding> findings;
    private final Continuity continuity;

    private ContinuityChecks(List<Finding> findings, PostgresConfig config) {
        this.findings = findings;
        this.continuity = new Continuity(config);
    }

    /**
     * Looks at everything that the checkpoint depends on.
     *
     * @param replicates whether a replication connection can be opened
     */
    static void add(
            List<Finding> findings,
            PostgresConfig config,
            Connections connections,
            SqlSession control,
            Checkpoint durable,
            boolean replicates) {
        ContinuityChecks checks = new ContinuityChecks(findings, config);
        BirthRecord record = new BirthRecord(durable.source());
        if (record.slotPosition() == null) {
            return;
        }
        Lsn position = RaisedLsn.lsn(SnapshotPlan.logPosition(durable, record));
        if (replicates) {
            checks.attempt(config.server().display(), () -> checks.server(connections, record, position));
        }
        checks.attempt("slot " + config.slot(), () -> checks.slot(control, position));
        checks.attempt("publication " + config.publication(), () -> checks.continuity.publication(control, record));
        findings.addAll(TableChanges.look(config, control, record, Map.of()).standing());
    }

    private void server(Connections connections, BirthRecord record, Lsn position) {
        ReplicationConnection connection = connections.replication();
        try {
            continuity.server(connection, record, position);
        } finally {
            connections.closed(connection);
            connection.close();
        }
    }

    /** While the slot is read, the checkpoint that was looked up a moment ago may be behind what is confirmed since. */
    private void slot(SqlSession control, Lsn position) {
        if (!continuity.usable(control, position).active()) {
            continuity.slot(control, position);
        }
    }

    private void attempt(String object, Runnable check) {
        try {
            check.run();
        } catch (TidegateException e) {
            findings.add(Finding.error(e.code(), object, String.valueOf(e.getMessage()), e.advice()));
        }
    }
}
