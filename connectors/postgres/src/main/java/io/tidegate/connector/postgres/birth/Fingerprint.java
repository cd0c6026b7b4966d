package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.SourceRecord;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What positions depend on, as text by name: the publication's OID and flags, and of each of our tables its OID, its name
 * and the OIDs of the rows that make it a member of the publication (rule 3). What is not ours is not in it. Immutable.
 */
public record Fingerprint(SortedMap<String, String> entries) {

    static final String PUBLICATION = "fingerprint.publication";
    private static final int VERSION_15 = 150000;

    public Fingerprint {
        entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    static Fingerprint of(SourceRecord source) {
        SortedMap<String, String> entries = new TreeMap<>(source.entries());
        entries.keySet().removeIf(name -> !name.equals(PUBLICATION) && !name.startsWith(BirthRecord.TABLE_PREFIX));
        return new Fingerprint(entries);
    }

    /** OIDs of our tables. */
    public Set<Long> tables() {
        Set<Long> oids = new TreeSet<>();
        for (String name : entries.keySet()) {
            if (name.startsWith(BirthRecord.TABLE_PREFIX)) {
                oids.add(Long.parseLong(name.substring(BirthRecord.TABLE_PREFIX.length())));
            }
        }
        return oids;
    }

    /** What the catalogue says now. */
    static Fingerprint read(SqlSession control, String publicationName, Set<Long> tables) {
        SortedMap<String, String> entries = new TreeMap<>();
        boolean schemas = control.one("SHOW server_version_num", row -> row.getInt(1)) >= VERSION_15;
        Publication publication =
                Publication.withoutTables(control, publicationName).orElse(null);
        if (publication != null) {
            entries.put(
                    PUBLICATION,
                    "oid " + publication.oid() + ", publishes " + String.join(" ", publication.operations())
                            + (publication.viaRoot() ? ", via root" : "")
                            + (publication.allTables() ? ", all tables" : ""));
        }
        String members = "SELECT 'table member ' || r.oid AS m FROM pg_publication_rel r JOIN pg_publication p"
                + " ON p.oid = r.prpubid WHERE p.pubname = ? AND (r.prrelid = c.oid OR r.prrelid IN"
                + " (SELECT relid::oid FROM pg_partition_ancestors(c.oid)))"
                + (schemas
                        ? " UNION ALL SELECT 'schema member ' || s.oid FROM pg_publication_namespace s JOIN"
                                + " pg_publication p ON p.oid = s.pnpubid WHERE p.pubname = ? AND s.pnnspid = n.oid"
                        : "");
        String sql = "SELECT c.oid::bigint, n.nspname || '.' || c.relname, ARRAY(SELECT m FROM (" + members
                + ") members ORDER BY m) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE c.oid::bigint = ANY (string_to_array(?, ',')::bigint[])";
        String oids = String.join(",", tables.stream().map(String::valueOf).toList());
        Object[] parameters =
                schemas ? new Object[] {publicationName, publicationName, oids} : new Object[] {publicationName, oids};
        control.query(
                        sql,
                        row -> Map.entry(
                                BirthRecord.TABLE_PREFIX + row.getLong(1),
                                row.getString(2) + ", "
                                        + String.join(
                                                " ", (String[]) row.getArray(3).getArray())),
                        parameters)
                .forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        return new Fingerprint(entries);
    }

    /** The entry of one table, to be stored for it. */
    Fingerprint only(long oid) {
        SortedMap<String, String> entry = new TreeMap<>(entries);
        entry.keySet().retainAll(Set.of(BirthRecord.TABLE_PREFIX + oid));
        return new Fingerprint(entry);
    }

    /** What became of the publication itself; empty if it is as it was. */
    Optional<String> publicationChange(Fingerprint now) {
        String stored = entries.get(PUBLICATION);
        String current = now.entries.get(PUBLICATION);
        if (stored == null || stored.equals(current)) {
            return Optional.empty();
        }
        return Optional.of(
                current == null
                        ? "was dropped (was: " + stored + ")"
                        : "was changed (was: " + stored + "; is: " + current + ")");
    }

    /** What makes a table a member of the publication; null if there is no such table. */
    @Nullable
    String members(long oid) {
        String entry = entries.get(BirthRecord.TABLE_PREFIX + oid);
        return entry == null ? null : entry.substring(entry.lastIndexOf(", ") + 2);
    }
}
