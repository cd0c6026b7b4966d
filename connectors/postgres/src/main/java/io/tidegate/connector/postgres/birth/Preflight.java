package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.config.TablePattern;
import io.tidegate.connector.postgres.server.ColumnRights;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.Slot;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.server.TableSelection;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds everything that is missing before a pipeline begins, all at once; each finding has the statement that mends it. */
public final class Preflight {

    private final PostgresConfig config;
    private final SqlSession control;
    private final List<Finding> findings = new ArrayList<>();
    private final String role;

    private Preflight(PostgresConfig config, SqlSession control) {
        this.config = config;
        this.control = control;
        this.role = Sql.name(config.server().user());
    }

    /** Looks at everything that a new pipeline needs. */
    static List<Finding> run(PostgresConfig config, Connections connections, SqlSession control) {
        return run(config, connections, control, false);
    }

    /** Looks at everything that a pipeline with this checkpoint needs. */
    public static List<Finding> run(
            PostgresConfig config, Connections connections, SqlSession control, Checkpoint durable) {
        BirthRecord record = new BirthRecord(durable.source());
        if (!record.begun()) {
            return run(config, connections, control);
        }
        try {
            record.refuseAnother(config);
        } catch (TidegateException e) {
            return List.of(Finding.error(e.code(), "configuration", String.valueOf(e.getMessage()), e.advice()));
        }
        if (record.slotPosition() == null) {
            return run(config, connections, control, true);
        }
        Preflight preflight = new Preflight(config, control);
        ServerChecks.add(preflight.findings, config, ServerFacts.read(control), true);
        boolean replicates = preflight.replication(connections);
        ContinuityChecks.add(preflight.findings, config, connections, control, durable, replicates);
        Set<Long> unread = SnapshotPlan.unread(config, durable, record).stream()
                .map(TableRecord::oid)
                .collect(Collectors.toSet());
        if (!unread.isEmpty()) {
            TableSelection ours =
                    TableSelection.of(config.tables(), Relation.all(control)).only(unread);
            preflight.rights(ours, Publication.find(control, config.publication()));
        }
        return List.copyOf(preflight.findings);
    }

    /** @param begun slot and publication may be there because we made them before a crash */
    private static List<Finding> run(
            PostgresConfig config, Connections connections, SqlSession control, boolean begun) {
        Preflight preflight = new Preflight(config, control);
        ServerChecks.add(preflight.findings, config, ServerFacts.read(control), begun);
        preflight.replication(connections);
        TableSelection selection = TableSelection.of(config.tables(), Relation.all(control));
        preflight.selection(selection);
        Optional<Publication> publication = config.snapshot() == SnapshotMode.ONLY
                ? Optional.empty()
                : Publication.find(control, config.publication());
        preflight.rights(selection, publication);
        if (config.snapshot() != SnapshotMode.ONLY) {
            if (publication.isPresent()) {
                preflight.existing(publication.get(), selection);
            } else {
                preflight.missing(selection);
            }
            if (!begun) {
                preflight.slot();
            }
        }
        return List.copyOf(preflight.findings);
    }

    /** @throws TidegateException if there is an error among the findings: all errors in one message */
    static void refuse(List<Finding> findings) {
        List<Finding> errors = findings.stream()
                .filter(f -> f.severity() == Finding.Severity.ERROR)
                .toList();
        if (errors.isEmpty()) {
            return;
        }
        String text = errors.stream()
                .map(f -> f.object() + ": " + f.problem() + (f.cure().isEmpty() ? "" : " -- " + f.cure()))
                .collect(Collectors.joining("\n  "));
        ErrorCode first = errors.get(0).code();
        boolean alike = errors.stream().allMatch(f -> f.code() == first);
        boolean orphan = errors.stream().anyMatch(f -> f.code() == ErrorCode.STATE_MISSING);
        ErrorCode code = orphan ? ErrorCode.STATE_MISSING : alike ? first : ErrorCode.PREFLIGHT;
        throw new TidegateException(
                code, errors.size() == 1 ? text : errors.size() + " things are missing:\n  " + text);
    }

    private void error(ErrorCode code, String object, String problem, String cure) {
        findings.add(Finding.error(code, object, problem, cure));
    }

    private void warning(ErrorCode code, String object, String problem, String cure) {
        findings.add(Finding.warning(code, object, problem, cure));
    }

    /** Managed servers have roles of their own for it, so it is tried. */
    private boolean replication(Connections connections) {
        try (ReplicationConnection connection = connections.replication()) {
            connection.identifySystem();
            connections.closed(connection);
            return true;
        } catch (TidegateException e) {
            error(
                    e.code() == ErrorCode.SOURCE_UNAVAILABLE ? ErrorCode.PREFLIGHT : e.code(),
                    "role " + config.server().user(),
                    "cannot open a replication connection: " + e.getMessage(),
                    "ALTER ROLE " + role + " REPLICATION;");
            return false;
        }
    }

    private void selection(TableSelection selection) {
        for (TablePattern pattern : selection.unmatched()) {
            error(ErrorCode.PREFLIGHT, "tables: " + pattern, "matches no table of the database", "");
        }
        selection.unusable().forEach((relation, pattern) -> {
            String problem = "is " + relation.kindName() + ", whose changes are not in the log";
            if (pattern.exact()) {
                error(ErrorCode.PREFLIGHT, relation.display(), problem, "take " + pattern + " out of 'tables'");
            } else {
                warning(ErrorCode.PREFLIGHT, relation.display(), problem + "; it is left out", "");
            }
        });
    }

    private void rights(TableSelection selection, Optional<Publication> publication) {
        if (config.snapshot() == SnapshotMode.NONE) {
            return;
        }
        List<String> schemas = new ArrayList<>();
        for (Relation table : selection.tables()) {
            if (!table.usage() && !schemas.contains(table.schema())) {
                schemas.add(table.schema());
                error(
                        ErrorCode.PERMISSION,
                        "schema " + table.schema(),
                        "the role may not use it",
                        "GRANT USAGE ON SCHEMA " + Sql.name(table.schema()) + " TO " + role + ";");
            }
            List<Relation> read = new ArrayList<>(selection.leaves(table));
            if (!read.contains(table)) {
                read.add(table);
            }
            for (Relation leaf : read) {
                if (!leaf.select() && !columns(table, leaf, publication)) {
                    error(
                            ErrorCode.PERMISSION,
                            leaf.display(),
                            "the role may not read it",
                            "GRANT SELECT ON " + leaf.sql() + " TO " + role + ";");
                }
                if (leaf.kind() == 'f') {
                    error(
                            ErrorCode.PREFLIGHT,
                            leaf.display(),
                            "is a foreign table and a part of " + table.display(),
                            "");
                }
            }
        }
    }

    /** Whether the role may read all that is read of a relation, if not the whole of it. */
    private boolean columns(Relation table, Relation leaf, Optional<Publication> publication) {
        Published published = publication
                .map(found -> found.tables().get(table.oid()))
                .orElseGet(() -> Publication.unpublished(control, table.oid()));
        return ColumnRights.suffice(control, config.publication(), published, leaf);
    }

    /** The publication has to be made. */
    private void missing(TableSelection selection) {
        if (!config.create()) {
            error(
                    ErrorCode.PUBLICATION,
                    "publication " + config.publication(),
                    "does not exist, and 'create: false' forbids to make it",
                    selection.tables().isEmpty()
                            ? ""
                            : Publication.create(config.publication(), selection.tables()) + ";");
            return;
        }
        boolean may =
                control.one("SELECT has_database_privilege(current_database(), 'CREATE')", row -> row.getBoolean(1));
        if (!may) {
            error(
                    ErrorCode.PERMISSION,
                    "database " + config.server().database(),
                    "the role may not create a publication in it",
                    "GRANT CREATE ON DATABASE " + Sql.name(config.server().database()) + " TO " + role + ";");
        }
        for (Relation table : selection.tables()) {
            if (!table.owned()) {
                error(
                        ErrorCode.PERMISSION,
                        table.display(),
                        "only its owner can put it into a publication",
                        "ALTER TABLE " + table.sql() + " OWNER TO " + role + "; or let its owner run: "
                                + Publication.create(config.publication(), selection.tables()) + ";");
            }
        }
        identity(selection, true);
    }

    /** Tables whose updates and deletes the server would refuse once they are published (rule 18). */
    private void identity(TableSelection selection, boolean create) {
        for (Relation table : selection.tables()) {
            for (Relation leaf : selection.leaves(table)) {
                if (leaf.identifies()) {
                    continue;
                }
                String cure =
                        "ALTER TABLE " + leaf.sql() + " REPLICA IDENTITY FULL; or publish its inserts only: make a"
                                + " publication WITH (publish = 'insert, truncate'), name it in publication.name and set"
                                + " publication.accept_partial: true";
                if (create) {
                    error(
                            ErrorCode.PREFLIGHT,
                            leaf.display(),
                            "nothing identifies its rows; published, the application's own UPDATE and DELETE would fail",
                            cure);
                } else {
                    warning(
                            ErrorCode.PREFLIGHT,
                            leaf.display(),
                            "nothing identifies its rows; the application's own UPDATE and DELETE fail while it is"
                                    + " published",
                            cure);
                }
            }
        }
    }

    private void existing(Publication publication, TableSelection selection) {
        String object = "publication " + publication.name();
        String name = Sql.name(publication.name());
        if (!publication.left().isEmpty() && !config.acceptPartial()) {
            error(
                    ErrorCode.PUBLICATION,
                    object,
                    "leaves out " + String.join(", ", publication.left()),
                    "ALTER PUBLICATION " + name + " SET (publish = 'insert, update, delete, truncate'); or set"
                            + " publication.accept_partial: true");
        }
        boolean leaves = false;
        for (Relation table : selection.tables()) {
            if (!publication.viaRoot()
                    && (table.partitioned() || !table.ancestors().isEmpty())) {
                leaves = true;
            } else if (!publication.tables().containsKey(table.oid())) {
                error(
                        ErrorCode.PUBLICATION,
                        table.display(),
                        "is not in publication " + publication.name(),
                        "ALTER PUBLICATION " + name + " ADD TABLE ONLY " + table.sql() + ";");
            }
        }
        if (leaves) {
            error(
                    ErrorCode.PUBLICATION,
                    object,
                    "publishes partitions by themselves, so that new ones would be missed",
                    "ALTER PUBLICATION " + name + " SET (publish_via_partition_root = true);");
        }
        if (publication.needsIdentity()) {
            identity(selection, false);
        }
    }

    private void slot() {
        String object = "slot " + config.slot();
        Optional<Slot> slot = Slot.find(control, config.slot());
        if (slot.isEmpty()) {
            if (!config.create() || config.slotAdopt()) {
                error(
                        ErrorCode.PREFLIGHT,
                        object,
                        "does not exist, and the configuration says that it was made beforehand",
                        "SELECT pg_create_logical_replication_slot(" + Sql.text(config.slot()) + ", 'pgoutput');");
            }
            return;
        }
        if (!config.slotAdopt()) {
            error(
                    ErrorCode.STATE_MISSING,
                    object,
                    "exists, but this pipeline has no state"
                            + (slot.get().active()
                                    ? "; it is in use by " + slot.get().user()
                                    : ""),
                    "bring the state back; or take the slot over with slot.adopt: true; or, if it is not needed, SELECT"
                            + " pg_drop_replication_slot(" + Sql.text(config.slot()) + ");");
            return;
        }
        slot.get().unusable(config.server().database()).ifPresent(why -> error(ErrorCode.PREFLIGHT, object, why, ""));
        if (slot.get().active()) {
            error(ErrorCode.SLOT_ACTIVE, object, "is in use by " + slot.get().user(), "stop that reader first");
        }
    }
}
