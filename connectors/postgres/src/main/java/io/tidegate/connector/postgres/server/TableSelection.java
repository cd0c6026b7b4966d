package io.tidegate.connector.postgres.server;

import io.tidegate.connector.postgres.config.TablePattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the patterns of a pipeline select among the relations that there are.
 *
 * @param tables whose changes are read; of a partitioned table the root only, its parts belong to it
 * @param unusable relations that a pattern matches and that cannot be read; with the pattern
 * @param unmatched patterns that match nothing
 * @param leaves by the OID of a table, the relations that hold its rows
 */
public record TableSelection(
        List<Relation> tables,
        Map<Relation, TablePattern> unusable,
        List<TablePattern> unmatched,
        Map<Long, List<Relation>> leaves) {

    public static TableSelection of(List<TablePattern> patterns, List<Relation> relations) {
        List<Relation> matched = new ArrayList<>();
        Map<Relation, TablePattern> unusable = new HashMap<>();
        Set<TablePattern> used = new HashSet<>();
        for (Relation relation : relations) {
            for (TablePattern pattern : patterns) {
                if (!pattern.matches(relation.schema(), relation.name())) {
                    continue;
                }
                used.add(pattern);
                if (!relation.logged()) {
                    unusable.merge(relation, pattern, (a, b) -> a.exact() ? a : b);
                } else if (!matched.contains(relation)) {
                    matched.add(relation);
                }
            }
        }
        Set<Long> oids = new HashSet<>();
        matched.forEach(table -> oids.add(table.oid()));
        List<Relation> tables = matched.stream()
                .filter(table -> table.ancestors().stream().noneMatch(oids::contains))
                .toList();
        Map<Long, List<Relation>> leaves = new HashMap<>();
        for (Relation table : tables) {
            leaves.put(table.oid(), leaves(table, relations));
        }
        List<TablePattern> unmatched =
                patterns.stream().filter(pattern -> !used.contains(pattern)).toList();
        return new TableSelection(tables, unusable, unmatched, leaves);
    }

    /** The relations that hold a table's rows: itself, or its partitions that are not partitioned again. */
    public static List<Relation> leaves(Relation table, List<Relation> relations) {
        if (!table.partitioned()) {
            return List.of(table);
        }
        return relations.stream()
                .filter(part -> !part.partitioned() && part.ancestors().contains(table.oid()))
                .toList();
    }

    /** The same without the tables whose OIDs are not among these. */
    public TableSelection only(Set<Long> oids) {
        List<Relation> kept =
                tables.stream().filter(table -> oids.contains(table.oid())).toList();
        return new TableSelection(kept, unusable, unmatched, leaves);
    }

    public List<Relation> leaves(Relation table) {
        return leaves.getOrDefault(table.oid(), List.of());
    }
}
