package io.tidegate.connector.postgres.discover;

import io.tidegate.connector.postgres.config.TablePattern;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.server.TableSelection;
import io.tidegate.spi.Discovery.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The tables of a database, with what decides whether their changes can be read, and what reads them already. */
final class Catalogue {

    private static final String SIZES =
            "SELECT c.oid::bigint, c.reltuples::bigint, pg_table_size(c.oid), ARRAY(SELECT a.attname::text"
                    + " FROM pg_index i, unnest(i.indkey) WITH ORDINALITY k(attnum, place) JOIN pg_attribute a"
                    + " ON a.attnum = k.attnum WHERE a.attrelid = c.oid AND i.indrelid = c.oid AND i.indisprimary"
                    + " ORDER BY k.place) FROM pg_class c WHERE c.relkind IN ('r', 'p', 'm')";

    private static final String PUBLICATIONS =
            "SELECT 'publication ' || p.pubname || ' of ' || CASE WHEN p.puballtables THEN 'all tables' ELSE"
                    + " (SELECT count(*) FROM pg_publication_rel r WHERE r.prpubid = p.oid) || ' tables' END"
                    + " || ', made by ' || pg_get_userbyid(p.pubowner) FROM pg_publication p ORDER BY p.pubname";

    private static final String SLOTS =
            "SELECT 'slot ' || slot_name || coalesce(' of ' || plugin || ' in database ' || database, ' of a standby')"
                    + " || CASE WHEN active THEN ', in use' ELSE ', not in use' END || coalesce(', holds back '"
                    + " || pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) || ' of log', '')"
                    + " FROM pg_replication_slots WHERE NOT temporary AND NOT pg_is_in_recovery() ORDER BY slot_name";

    private final Map<Long, Sizes> sizes = new HashMap<>();
    private final List<Relation> relations;

    /** Estimates: {@code rows} is -1 for a table that was never analyzed. */
    private record Sizes(long rows, long bytes, List<String> key) {
        static final Sizes NONE = new Sizes(-1, -1, List.of());
    }

    private Catalogue(SqlSession control) {
        relations = Relation.all(control);
        control.query(
                        SIZES,
                        row -> Map.entry(row.getLong(1), new Sizes(row.getLong(2), row.getLong(3), List.of((String[])
                                row.getArray(4).getArray()))))
                .forEach(entry -> sizes.put(entry.getKey(), entry.getValue()));
    }

    /** All tables and what could be taken for one; partitions are in the numbers of the table that they are a part of. */
    static List<Table> tables(SqlSession control, List<TablePattern> patterns) {
        Catalogue catalogue = new Catalogue(control);
        Set<Long> all = new HashSet<>();
        catalogue.relations.forEach(relation -> all.add(relation.oid()));
        return catalogue.relations.stream()
                .filter(relation -> relation.ancestors().stream().noneMatch(all::contains))
                .map(relation -> catalogue.table(
                        relation, patterns.stream().anyMatch(p -> p.matches(relation.schema(), relation.name()))))
                .toList();
    }

    /** Publications of the database and slots of the server, a line for each. */
    static List<String> existing(SqlSession control) {
        List<String> lines = new ArrayList<>(control.query(PUBLICATIONS, row -> row.getString(1)));
        lines.addAll(control.query(SLOTS, row -> row.getString(1)));
        return lines;
    }

    private Table table(Relation relation, boolean selected) {
        List<Relation> leaves = TableSelection.leaves(relation, relations);
        List<Sizes> parts = leaves.stream()
                .map(leaf -> sizes.getOrDefault(leaf.oid(), Sizes.NONE))
                .toList();
        String obstacle = "";
        String cure = "";
        List<Relation> blind =
                leaves.stream().filter(leaf -> !leaf.identifies()).toList();
        if (!relation.logged()) {
            obstacle = relation.kindName() + ", whose changes are not in the log";
        } else if (!blind.isEmpty()) {
            obstacle = "nothing identifies its rows: " + lack(blind.get(0));
            cure = blind.stream().map(this::identify).collect(Collectors.joining(" "));
        }
        return new Table(
                name(relation.schema()) + "." + name(relation.name()),
                selected,
                sum(parts.stream().map(Sizes::rows).toList()),
                sum(parts.stream().map(Sizes::bytes).toList()),
                key(relation),
                obstacle,
                cure);
    }

    private static String lack(Relation leaf) {
        return switch (leaf.identity()) {
            case 'n' -> "its replica identity is NOTHING";
            case 'i' -> "the index of its replica identity is gone";
            default -> "no primary key and no replica identity";
        };
    }

    private String identify(Relation leaf) {
        boolean keyed = !sizes.getOrDefault(leaf.oid(), Sizes.NONE).key().isEmpty();
        String identity = keyed && leaf.identity() != 'd' ? "DEFAULT" : "FULL";
        return "ALTER TABLE " + leaf.sql() + " REPLICA IDENTITY " + identity + ";";
    }

    private String key(Relation relation) {
        List<String> columns = sizes.getOrDefault(relation.oid(), Sizes.NONE).key();
        String key = columns.isEmpty() ? "no primary key" : "key " + String.join(", ", columns);
        return switch (relation.identity()) {
            case 'f' -> key + ", identity full";
            case 'i' -> key + ", identity by an index";
            case 'n' -> key + ", identity nothing";
            default -> key;
        };
    }

    private static long sum(List<Long> parts) {
        return parts.contains(-1L)
                ? -1
                : parts.stream().mapToLong(Long::longValue).sum();
    }

    /** As {@link TablePattern} reads it: quoted where a character means something else there. */
    private static String name(String name) {
        return name.matches("[a-z_][a-z0-9_$]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }
}
