package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.config.TablePattern;
import io.tidegate.connector.postgres.server.ColumnRights;
import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.server.TableSelection;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What became of the tables since the record was written, and what follows (rules 3 and 10). Looks, and changes nothing:
 * the outcome is a record to be stored, and problems to be shown.
 *
 * <ul>
 *   <li>A table that is gone, was made again, was renamed to what no pattern matches, or whose place in the publication
 *       changed, is <i>lost</i>: from now on nothing of it is given, until it is read again.
 *   <li>A table that no pattern matches any more because the patterns were changed is removed, with all that is known of it.
 *   <li>A table that matches and was not captured joins if a pattern that is new selects it, or with {@code auto_add}.
 * </ul>
 */
public final class TableChanges {

    public static final String NOT_CAPTURED =
            "is not captured: it matches 'tables', but was not there when the pipeline began";
    public static final String NOT_CAPTURED_CURE =
            "set auto_add: true, or name it exactly in 'tables', and start again";

    private static final String UNDER_ANOTHER_NAME =
            "the publication gives its changes under the name of the partitioned table that it is a part of, or of its parts";

    private final PostgresConfig config;
    private final SqlSession control;
    private final Map<Long, Finding> refused;
    private final BirthRecord before;
    private final Fingerprint now;
    private final Map<Long, Relation> relations;
    private final TableSelection selection;

    private BirthRecord next;
    private final Set<Long> forgotten = new TreeSet<>();
    private final List<Relation> unpublished = new ArrayList<>();
    private final List<Relation> notCaptured = new ArrayList<>();
    private final List<Finding> problems = new ArrayList<>();
    private final Set<String> news = new LinkedHashSet<>();
    private final Optional<Publication> publication;

    private TableChanges(PostgresConfig config, SqlSession control, BirthRecord record, Map<Long, Finding> refused) {
        this.refused = refused;
        this.config = config;
        this.control = control;
        this.before = record;
        this.next = record;
        List<Relation> all = Relation.all(control);
        relations = all.stream().collect(Collectors.toMap(Relation::oid, Function.identity()));
        selection = TableSelection.of(config.tables(), all);
        // without its tables: they would be waited for
        publication = Publication.withoutTables(control, config.publication());
        Set<Long> oids = new TreeSet<>(record.tables().keySet());
        selection.tables().forEach(table -> oids.add(table.oid()));
        now = Fingerprint.read(control, config.publication(), oids);
    }

    /**
     * Looks at all tables.
     *
     * @param refused by OID, tables that could not be put into the publication a moment ago, with why
     */
    public static TableChanges look(
            PostgresConfig config, SqlSession control, BirthRecord record, Map<Long, Finding> refused) {
        TableChanges changes = new TableChanges(config, control, record, refused);
        for (TableRecord table : record.tables().values()) {
            changes.captured(table);
        }
        for (Relation table : changes.selection.tables()) {
            if (!record.tables().containsKey(table.oid())) {
                changes.uncaptured(table);
            }
        }
        if (!record.hasPatterns(config)) {
            changes.patterns();
        }
        return changes;
    }

    /** What is to be stored; the record as it was if nothing happened. */
    BirthRecord record() {
        return next;
    }

    /** Whether something has to be stored, or done to the publication, before the tables can be read on. */
    public boolean any() {
        return !next.equals(before) || !unpublished.isEmpty();
    }

    /** In one line, for the log. */
    public String news() {
        return String.join("; ", news);
    }

    /** OIDs of tables whose splits are void. */
    Set<Long> forgotten() {
        return forgotten;
    }

    /** Tables that are to be put into the publication, which is ours. */
    List<Relation> unpublished() {
        return unpublished;
    }

    /** Tables that match, and are not captured because nobody said that they should be. */
    public List<Relation> notCaptured() {
        return notCaptured;
    }

    /** What is wrong and stays so until somebody does something. */
    List<Finding> problems() {
        return problems;
    }

    /** The same, with what is only to be known. */
    public List<Finding> standing() {
        List<Finding> all = new ArrayList<>(problems);
        for (Relation table : notCaptured) {
            all.add(Finding.warning(ErrorCode.PREFLIGHT, table.display(), NOT_CAPTURED, NOT_CAPTURED_CURE));
        }
        return all;
    }

    private void captured(TableRecord table) {
        Relation relation = relations.get(table.oid());
        if (!matches(table.schema(), table.name())
                && (relation == null || !matches(relation.schema(), relation.name()))) {
            remove(table);
            return;
        }
        TableRecord seen = relation == null || !matches(relation.schema(), relation.name())
                ? table
                : table.renamed(relation.schema(), relation.name());
        Optional<String> fault = fault(table, relation);
        boolean again = table.due() || config.snapshot() == SnapshotMode.WHEN_LOST;
        if (fault.isPresent() && again && relation != null && isBack(relation)) {
            return;
        }
        if (fault.isPresent()) {
            boolean readable = relation != null && isMember(relation) && isSelected(relation);
            seen = again && readable ? found(seen) : lost(seen, fault.get());
        } else if (table.isLost()) {
            seen = again ? found(seen) : lost(seen, table.lost());
        }
        if (!seen.display().equals(table.display())) {
            seen = renamed(table, seen);
        }
        if (!seen.equals(table)) {
            next = next.with(seen);
        }
    }

    /** One that is to be read again goes back into a publication of ours first, if somebody took it out. */
    private boolean isBack(Relation table) {
        if (isMember(table) || !isSelected(table) || obstacle(table).isPresent()) {
            return false;
        }
        unpublished.add(table);
        news.add(table.display() + " joins publication " + config.publication() + " again");
        return true;
    }

    /** Under its new name the target has nothing of it, or what another table had: it is read again. */
    private TableRecord renamed(TableRecord table, TableRecord seen) {
        news.add(table.display() + " is now called " + seen.display());
        next = next.known(table);
        if (config.snapshot() == SnapshotMode.NONE || seen.isLost()) {
            return seen;
        }
        forgotten.add(table.oid());
        return seen.again();
    }

    /** What makes it impossible to read the table's changes on; empty if nothing does. */
    private Optional<String> fault(TableRecord table, @Nullable Relation relation) {
        if (relation == null) {
            return Optional.of("it was dropped");
        }
        if (!matches(relation.schema(), relation.name())) {
            return Optional.of("it was renamed to " + relation.display() + ", which no pattern of 'tables' matches");
        }
        if (!isSelected(relation)) {
            return Optional.of("it is not a table of its own any more whose changes are logged");
        }
        String members = before.fingerprint().members(table.oid());
        if (!String.valueOf(members).equals(now.members(table.oid()))) {
            return Optional.of("its place in publication " + config.publication()
                    + " was changed, and changes may have been left out of the log meanwhile");
        }
        return isCarried(relation) ? Optional.empty() : Optional.of(UNDER_ANOTHER_NAME);
    }

    private TableRecord found(TableRecord table) {
        news.add(table.display() + " is read again from the beginning");
        forgotten.add(table.oid());
        next = next.with(now.only(table.oid()));
        return table.found().again();
    }

    private TableRecord lost(TableRecord table, String why) {
        if (!table.isLost()) {
            news.add(table.display() + " is lost: " + why);
            forgotten.add(table.oid());
        }
        String first = table.isLost() ? table.lost() : why;
        problems.add(Finding.error(
                ErrorCode.TABLE_LOST,
                table.display(),
                "its changes are not delivered any more: " + first,
                ErrorCode.TABLE_LOST.advice()));
        return table.lost(first);
    }

    private void remove(TableRecord table) {
        news.add(table.display() + " is not captured any more");
        forgotten.add(table.oid());
        next = next.without(table);
    }

    private void uncaptured(Relation table) {
        Optional<TableRecord> namesake = before.tables().values().stream()
                .filter(known -> known.display().equals(table.display()) && !isStillCalled(known))
                .findFirst();
        boolean chosen = config.tables().stream()
                .anyMatch(pattern -> !before.hasPattern(pattern) && pattern.matches(table.schema(), table.name()));
        boolean again = namesake.isPresent() && (namesake.get().due() || config.snapshot() == SnapshotMode.WHEN_LOST);
        if (!config.autoAdd() && !chosen && !again) {
            if (namesake.isEmpty()) {
                notCaptured.add(table);
            }
            return;
        }
        boolean member = isMember(table);
        Optional<Finding> obstacle = unreadable(table);
        if (obstacle.isEmpty()) {
            obstacle = member ? notCarried(table) : obstacle(table);
        }
        if (obstacle.isPresent()) {
            problems.add(obstacle.get());
        } else if (member) {
            join(table, namesake);
        } else {
            unpublished.add(table);
            news.add(table.display() + " joins publication " + config.publication());
        }
    }

    private boolean isStillCalled(TableRecord table) {
        Relation relation = relations.get(table.oid());
        return relation != null && relation.display().equals(table.display());
    }

    private void join(Relation table, Optional<TableRecord> namesake) {
        namesake.ifPresent(this::remove);
        problems.removeIf(problem -> namesake.isPresent() && problem.object().equals(table.display()));
        String columns = ColumnChanges.read(control, Set.of(table.oid())).text(table.oid());
        boolean known = namesake.isPresent() || next.knows(table.display());
        news.add(table.display() + " is captured from now on");
        next = next.with(now.only(table.oid())).with(TableRecord.joined(table, columns, known));
    }

    /** Why its rows could not be read; empty if they can. One table must not stop all the others (I14). */
    private Optional<Finding> unreadable(Relation table) {
        if (config.snapshot() == SnapshotMode.NONE) {
            return Optional.empty();
        }
        if (!mayRead(table)) {
            return Optional.of(Finding.error(
                    ErrorCode.PERMISSION,
                    table.display(),
                    "matches 'tables', and the role may not read it",
                    "GRANT SELECT ON " + table.sql() + " TO "
                            + Sql.name(config.server().user()) + ";"));
        }
        for (Relation leaf : selection.leaves(table)) {
            if (leaf.kind() == 'f') {
                return Optional.of(Finding.error(
                        ErrorCode.PREFLIGHT,
                        leaf.display(),
                        "is a foreign table and a part of " + table.display(),
                        ""));
            }
            if (control.one(
                    "SELECT row_security_active(CAST(? AS bigint)::oid)", row -> row.getBoolean(1), leaf.oid())) {
                return Optional.of(Finding.error(
                        ErrorCode.PERMISSION,
                        leaf.display(),
                        "matches 'tables', and row security hides rows of it from the role",
                        "ALTER ROLE " + Sql.name(config.server().user()) + " BYPASSRLS;"));
            }
        }
        return Optional.empty();
    }

    private Optional<Finding> notCarried(Relation table) {
        return isCarried(table)
                ? Optional.empty()
                : Optional.of(Finding.error(
                        ErrorCode.PUBLICATION,
                        table.display(),
                        "matches 'tables', and " + UNDER_ANOTHER_NAME,
                        "name that one in 'tables'; or ALTER PUBLICATION " + Sql.name(config.publication())
                                + " SET (publish_via_partition_root = true);"));
    }

    /** Whether the log gives a member's changes under its own name. */
    private boolean isCarried(Relation table) {
        boolean viaRoot = publication.map(Publication::viaRoot).orElse(false);
        if (table.partitioned() && !viaRoot) {
            return false;
        }
        return table.ancestors().isEmpty()
                || !viaRoot
                || Publication.find(control, config.publication())
                        .map(found -> found.tables().containsKey(table.oid()))
                        .orElse(false);
    }

    private boolean mayRead(Relation table) {
        return table.usage()
                && selection.leaves(table).stream().allMatch(leaf -> leaf.select() || mayReadColumns(table, leaf));
    }

    private boolean mayReadColumns(Relation table, Relation leaf) {
        return Publication.find(control, config.publication())
                .map(found -> found.tables().get(table.oid()))
                .map(published -> ColumnRights.suffice(control, config.publication(), published, leaf))
                .orElse(false);
    }

    /** Why a table cannot be put into the publication by us; empty if it can. */
    private Optional<Finding> obstacle(Relation table) {
        String add = "ALTER PUBLICATION " + Sql.name(config.publication()) + " ADD TABLE ONLY " + table.sql() + ";";
        if (!before.createsPublication() || !config.create()) {
            return Optional.of(Finding.error(
                    ErrorCode.PUBLICATION,
                    table.display(),
                    "matches 'tables', and is not in publication " + config.publication()
                            + ", which is not ours to change",
                    add));
        }
        if (!table.owned()) {
            return Optional.of(Finding.error(
                    ErrorCode.PERMISSION,
                    table.display(),
                    "matches 'tables', and only its owner can put it into a publication",
                    add));
        }
        Finding refusal = refused.get(table.oid());
        if (refusal != null) {
            return Optional.of(refusal);
        }
        return selection.leaves(table).stream()
                .filter(leaf -> !leaf.identifies())
                .findFirst()
                .map(leaf -> Finding.error(
                        ErrorCode.PREFLIGHT,
                        leaf.display(),
                        "matches 'tables', and nothing identifies its rows: published, the application's own UPDATE and"
                                + " DELETE would fail",
                        "ALTER TABLE " + leaf.sql() + " REPLICA IDENTITY FULL;"));
    }

    /** The patterns were changed; one that matches nothing is a mistake. */
    private void patterns() {
        for (TablePattern pattern : selection.unmatched()) {
            if (!before.hasPattern(pattern)) {
                problems.add(Finding.error(
                        ErrorCode.PREFLIGHT, "tables: " + pattern, "matches no table of the database", ""));
            }
        }
        if (next.tables().isEmpty() && unpublished.isEmpty()) {
            problems.add(Finding.error(ErrorCode.PREFLIGHT, "tables", "matches no table of the database", ""));
        }
        next = next.patterns(config);
    }

    /** Errors that a changed configuration brought: the pipeline does not start with them. */
    List<Finding> mistakes() {
        return before.hasPatterns(config)
                ? List.of()
                : problems.stream()
                        .filter(problem -> problem.code() != ErrorCode.TABLE_LOST)
                        .toList();
    }

    private boolean isMember(Relation table) {
        if (publication.map(Publication::allTables).orElse(false)) {
            return true;
        }
        String members = now.members(table.oid());
        return members != null && !members.isEmpty();
    }

    private boolean isSelected(Relation table) {
        return selection.tables().stream().anyMatch(selected -> selected.oid() == table.oid());
    }

    private boolean matches(String schema, String name) {
        return config.tables().stream().anyMatch(pattern -> pattern.matches(schema, name));
    }

    /** Tables that are not captured any more and still are in the publication, which is ours. */
    static List<Relation> leftInPublication(SqlSession control, BirthRecord record) {
        Set<Long> removed = record.removed();
        if (!record.createsPublication() || removed.isEmpty()) {
            return List.of();
        }
        Set<Long> members = Set.copyOf(control.query(
                "SELECT r.prrelid::bigint FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid"
                        + " WHERE p.pubname = ?",
                row -> row.getLong(1),
                record.ours(false).orElse("")));
        return Relation.all(control).stream()
                .filter(relation -> removed.contains(relation.oid()) && members.contains(relation.oid()))
                .toList();
    }
}
