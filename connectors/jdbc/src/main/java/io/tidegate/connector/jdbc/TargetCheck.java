package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.Dialect.Description;
import io.tidegate.connector.jdbc.Dialect.UniqueKey;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Place;
import io.tidegate.spi.Source;
import io.tidegate.spi.TidegateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The preflight of a target. Which tables the source has is known only when their changes come, so what is looked at are the
 * tables that are there; whatever else a table lacks is said, with its statement, before the first write to it.
 */
record TargetCheck(
        JdbcConfig config, Dialect dialect, @Nullable Source source) {

    List<Finding> run() {
        String display = config.login().url().display();
        try (Connection connection = dialect.connect(config)) {
            List<Finding> findings = new ArrayList<>(dialect.check(connection, config));
            checkPositionTable(connection, findings);
            boolean same = readsFrom(connection);
            for (String schema : schemas(connection, findings)) {
                for (TableName table : dialect.tables(connection, schema)) {
                    checkTable(connection, table, same, findings);
                }
            }
            return findings;
        } catch (SQLException e) {
            TidegateException failure = dialect.failures().of(e, display);
            return List.of(
                    Finding.error(failure.code(), display, String.valueOf(failure.getMessage()), failure.advice()));
        }
    }

    private boolean readsFrom(Connection connection) throws SQLException {
        Optional<Place> place = dialect.place(connection);
        return source != null && place.isPresent() && source.readsFrom(place.get());
    }

    /** The schemas that are named without the source's; others are known only when changes come. */
    private Set<String> schemas(Connection connection, List<Finding> findings) throws SQLException {
        String template = config.names().schema();
        Set<String> schemas = new LinkedHashSet<>();
        if (!template.contains("{")) {
            schemas.add(template);
            if (!dialect.schemaExists(connection, template) && !config.createTables()) {
                findings.add(Finding.error(
                        ErrorCode.PREFLIGHT,
                        "the schema " + template,
                        "it does not exist",
                        dialect.createSchema(template)));
            }
        } else if (template.equals(JdbcConfig.Names.SCHEMA)) {
            schemas.add(dialect.currentSchema(connection));
        }
        return schemas;
    }

    private void checkPositionTable(Connection connection, List<Finding> findings) throws SQLException {
        TableName name = config.positionTable();
        if (name.schema().isEmpty()) {
            name = new TableName(dialect.currentSchema(connection), name.name());
        }
        boolean there = dialect.describe(connection, name).isPresent();
        dialect.missingRight(connection, name, there)
                .ifPresent(grant -> findings.add(Finding.error(
                        ErrorCode.PERMISSION,
                        "the position table " + config.positionTable().display(),
                        there ? "it cannot be read and written" : "it does not exist and cannot be made",
                        grant)));
        if (source != null && readsFrom(connection) && source.captures(name.schema(), name.name())) {
            findings.add(Finding.error(
                    ErrorCode.PREFLIGHT, "the table " + name.display(), JdbcSink.loop(name), JdbcSink.LOOP_CURE));
        }
    }

    private void checkTable(Connection connection, TableName name, boolean same, List<Finding> findings)
            throws SQLException {
        Optional<Description> found = dialect.describe(connection, name);
        if (found.isEmpty() || name.name().equals(config.positionTable().name())) {
            return;
        }
        String object = "the table " + name.display();
        if (same && source != null && source.captures(name.schema(), name.name())) {
            findings.add(Finding.warning(
                    ErrorCode.PREFLIGHT, object, JdbcSink.loop(name) + " (if it is a target)", JdbcSink.LOOP_CURE));
        }
        dialect.missingRight(connection, name, true)
                .ifPresent(grant -> findings.add(Finding.warning(
                        ErrorCode.PERMISSION, object, "the role may not read and write all of it", grant)));
        if (config.mode() == JdbcConfig.Mode.UPSERT) {
            checkObstacles(found.get(), object, findings);
        }
    }

    /** What a source's table may not have, so that its rows can be refused. */
    private static void checkObstacles(Description table, String object, List<Finding> findings) {
        List<UniqueKey> others = new ArrayList<>(table.specialUniques());
        others.addAll(table.uniqueKeys()
                .subList(
                        Math.min(1, table.uniqueKeys().size()),
                        table.uniqueKeys().size()));
        for (UniqueKey unique : others) {
            warn(
                    findings,
                    object,
                    "it has the unique constraint " + unique.name() + " beside its key: rows that exchange"
                            + " values are written one by one, and refused if the source does not have it");
        }
        if (!table.bonds().parents().isEmpty()) {
            warn(
                    findings,
                    object,
                    "its foreign keys name " + table.bonds().parents()
                            + ": a row is refused if its parent is not among the source's tables or comes later");
        }
        if (table.bonds().cascades()) {
            warn(findings, object, "deleting a row of it changes rows of other tables by foreign keys");
        }
        if (!table.bonds().triggers().isEmpty()) {
            warn(
                    findings,
                    object,
                    "it has the triggers " + table.bonds().triggers()
                            + ", which run for rows in the order of the statements, not of the source");
        }
        for (TargetColumn column : table.columns()) {
            if (!column.writable()) {
                warn(findings, object, "the column " + column.name() + " is computed: a source that has it is refused");
            }
        }
        if (table.bonds().rules()) {
            warn(findings, object, "it has rules for INSERT or UPDATE: 'mode: upsert' refuses it");
        }
        if (!table.always().isEmpty()) {
            warn(
                    findings,
                    object,
                    "the columns " + table.always()
                            + " are GENERATED ALWAYS AS IDENTITY: a source that has one beside its key is refused");
        }
        if (!table.folding().isEmpty()) {
            warn(
                    findings,
                    object,
                    "a collation takes different texts in the columns " + table.folding()
                            + " for equal: a source with one of them in its key is refused");
        }
        List<String> required = new ArrayList<>(table.required());
        table.uniqueKeys().stream().limit(1).forEach(key -> required.removeAll(key.columns()));
        if (!required.isEmpty()) {
            warn(
                    findings,
                    object,
                    "the columns " + required
                            + " must not be null and have no default: a source that lacks one is refused");
        }
        if (table.uniqueKeys().isEmpty()) {
            warn(findings, object, "it has no primary key or unique constraint: 'mode: upsert' refuses it");
        }
    }

    private static void warn(List<Finding> findings, String object, String problem) {
        findings.add(Finding.warning(ErrorCode.PREFLIGHT, object, problem, ""));
    }
}
