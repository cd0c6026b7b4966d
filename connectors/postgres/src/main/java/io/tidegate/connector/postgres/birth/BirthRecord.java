package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.config.TablePattern;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.TidegateException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is written in a {@link SourceRecord} of this source, by name and type. Immutable. */
public record BirthRecord(SourceRecord source) {

    static final String TABLE_PREFIX = "fingerprint.table.";
    private static final String MODE = "snapshot.mode";
    private static final String TABLES = "tables";
    private static final String SLOT_NAME = "slot.name";
    private static final String SLOT_INTENT = "slot.intent";
    private static final String SLOT_POSITION = "slot.position";
    private static final String PUBLICATION_NAME = "publication.name";
    private static final String PUBLICATION_INTENT = "publication.intent";
    private static final String SYSTEM_ID = "system.id";
    private static final String TIMELINE = "system.timeline";
    private static final String ATTEMPT = "snapshot.attempt";
    private static final String POINT = "snapshot.position";
    private static final String PUBLICATION_WAS = "publication.was";
    private static final String LINEAGE = "lineage";
    private static final String KNOWN = "known.";

    /** Whether a thing in the user's database is made by us, or was there. */
    public enum Intent {
        CREATE,
        ADOPT;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether the intent is stored. */
    public boolean begun() {
        return source.get(MODE) != null;
    }

    BirthRecord begin(PostgresConfig config, Intent slot, Intent publication) {
        Map<String, String> entries = new TreeMap<>();
        entries.put(MODE, family(config.snapshot()));
        entries.put(TABLES, patternText(config));
        if (config.snapshot() != SnapshotMode.ONLY) {
            entries.put(SLOT_NAME, config.slot());
            entries.put(SLOT_INTENT, slot.word());
            entries.put(PUBLICATION_NAME, config.publication());
            entries.put(PUBLICATION_INTENT, publication.word());
        }
        return new BirthRecord(source.with(entries));
    }

    /**
     * The log has a beginning.
     *
     * @param moment tells this beginning from any other at the same place, as of a server that was restored
     */
    BirthRecord born(Lsn position, String systemId, int timeline, String moment) {
        return new BirthRecord(source.with(SLOT_POSITION, position.toString())
                        .with(SYSTEM_ID, systemId)
                        .with(LINEAGE, systemId + "/" + position + "/" + moment))
                .timeline(timeline);
    }

    BirthRecord timeline(int timeline) {
        return new BirthRecord(source.with(TIMELINE, Integer.toString(timeline)));
    }

    /** A new plan, of which the splits' ids hold the number. */
    BirthRecord attempt(int attempt) {
        return new BirthRecord(source.with(ATTEMPT, Integer.toString(attempt)));
    }

    BirthRecord with(TableRecord table) {
        return new BirthRecord(source.without(TableRecord.prefix(table.oid())).with(table.entries()));
    }

    BirthRecord with(Fingerprint fingerprint) {
        return new BirthRecord(source.with(fingerprint.entries()));
    }

    /** Remembers of a name that something was read under it. */
    BirthRecord known(TableRecord table) {
        return new BirthRecord(source.with(KNOWN + table.display(), Long.toString(table.oid())));
    }

    BirthRecord without(TableRecord table) {
        return new BirthRecord(known(table)
                .source
                .without(TableRecord.prefix(table.oid()))
                .withoutExactly(TABLE_PREFIX + table.oid()));
    }

    /**
     * The same on a server whose log is ours up to a place only: what was read of tables beyond it is not what this server
     * has, so these are read again.
     *
     * @param catchUpEnd as the position has it
     */
    BirthRecord onlyUpTo(Lsn common, Lsn catchUpEnd) {
        BirthRecord next = this;
        for (TableRecord table : tables().values()) {
            Lsn point = table.point();
            boolean raised = table.way() == TableRecord.Way.CATCH_UP && catchUpEnd.isAfter(common);
            if (!table.due() && ((point != null && point.isAfter(common)) || raised)) {
                next = next.with(table.again());
            }
        }
        return next;
    }

    /** The patterns are now those of the configuration. */
    BirthRecord patterns(PostgresConfig config) {
        return new BirthRecord(source.with(TABLES, patternText(config)));
    }

    /**
     * Begins the pipeline anew, after its position was lost: with what is remembered of its tables, and with the intents of
     * before if the things that they speak of are on this server.
     */
    BirthRecord reborn(boolean sameServer) {
        BirthRecord next = this;
        for (TableRecord table : tables().values()) {
            next = next.without(table);
        }
        SourceRecord kept = next.source;
        String publication = kept.get(Fingerprint.PUBLICATION);
        if (publication != null) {
            kept = kept.with(PUBLICATION_WAS, publication);
        }
        for (String name : List.of(SLOT_POSITION, SYSTEM_ID, TIMELINE, LINEAGE, POINT, Fingerprint.PUBLICATION)) {
            kept = kept.withoutExactly(name);
        }
        return new BirthRecord(sameServer ? kept : kept.withoutExactly(MODE));
    }

    /**
     * Refuses a configuration that the stored state does not belong to.
     *
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID}
     */
    void refuseAnother(PostgresConfig config) {
        same("snapshot", String.valueOf(source.get(MODE)), family(config.snapshot()));
        if (config.snapshot() == SnapshotMode.ONLY) {
            same("tables", source.get(TABLES), patternText(config));
        }
        if (config.snapshot() != SnapshotMode.ONLY) {
            same("slot.name", source.get(SLOT_NAME), config.slot());
            same("publication.name", source.get(PUBLICATION_NAME), config.publication());
        }
    }

    private static void same(String key, @Nullable String stored, String configured) {
        if (!configured.equals(stored)) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "this pipeline began with " + key + ": " + stored + ", and is configured with " + configured,
                    "Write the old value again; or run 'tidegate remove FILE', then 'tidegate state reset FILE', and begin"
                            + " anew with the new one.",
                    null);
        }
    }

    /** Whether the log is begun again when it is lost may change from run to run. */
    private static String family(SnapshotMode mode) {
        SnapshotMode stored = mode == SnapshotMode.WHEN_LOST ? SnapshotMode.INITIAL : mode;
        return stored.name().toLowerCase(Locale.ROOT);
    }

    /** Whether a pattern of the configuration is among the stored ones. */
    boolean hasPattern(TablePattern pattern) {
        return List.of(String.valueOf(source.get(TABLES)).split(", ", -1)).contains(pattern.text());
    }

    boolean hasPatterns(PostgresConfig config) {
        return patternText(config).equals(source.get(TABLES));
    }

    /** The patterns in an order of their own, so that only what they say counts. */
    private static String patternText(PostgresConfig config) {
        return config.tables().stream()
                .map(TablePattern::text)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    public Optional<String> ours(boolean slot) {
        String intent = source.get(slot ? SLOT_INTENT : PUBLICATION_INTENT);
        String name = source.get(slot ? SLOT_NAME : PUBLICATION_NAME);
        return Intent.CREATE.word().equals(intent) ? Optional.ofNullable(name) : Optional.empty();
    }

    boolean createsSlot() {
        return ours(true).isPresent();
    }

    boolean createsPublication() {
        return ours(false).isPresent();
    }

    /** The log's start; null until the slot is there. */
    public @Nullable Lsn slotPosition() {
        return lsn(SLOT_POSITION);
    }

    public String systemId() {
        return required(SYSTEM_ID);
    }

    public int timeline() {
        return Integer.parseInt(required(TIMELINE));
    }

    /** Whether a publication is the one that this pipeline had before it was begun anew. */
    boolean hadPublication(long oid) {
        String was = source.get(PUBLICATION_WAS);
        return was != null && was.startsWith("oid " + oid + ",");
    }

    /** Names the log that ordinals belong to. After a failover it is another one: what a sink has may not be in it. */
    String lineage() {
        String begun = source.get(LINEAGE);
        return begun == null ? systemId() + "/" + slotPosition() + "/" + timeline() : begun + "/" + timeline();
    }

    /** The captured tables, by OID; those that are lost too. */
    SortedMap<Long, TableRecord> tables() {
        SortedMap<Long, TableRecord> tables = new TreeMap<>();
        for (long oid : fingerprint().tables()) {
            tables.put(oid, TableRecord.isIn(source, oid) ? TableRecord.of(source, oid) : ofEarlierFormat(oid));
        }
        return tables;
    }

    public LogTables logTables() {
        return new LogTables(tables());
    }

    /** Of a state that was written when all tables had one attempt and one H. */
    private TableRecord ofEarlierFormat(long oid) {
        String text = required(TABLE_PREFIX + oid);
        String display = text.substring(0, text.lastIndexOf(", "));
        int dot = display.indexOf('.');
        return new TableRecord(
                oid,
                display.substring(0, dot),
                display.substring(dot + 1),
                attempt(),
                lsn(POINT),
                TableRecord.Way.SKIP,
                "",
                "",
                false,
                false,
                "");
    }

    /**
     * With some tables to be read again from their beginning.
     *
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID} if a pattern selects none
     */
    public BirthRecord again(List<TablePattern> patterns) {
        BirthRecord next = this;
        SortedMap<Long, TableRecord> captured = tables();
        for (TablePattern pattern : patterns) {
            List<TableRecord> chosen = captured.values().stream()
                    .filter(table -> pattern.matches(table.schema(), table.name()))
                    .toList();
            if (chosen.isEmpty()) {
                String all =
                        captured.values().stream().map(TableRecord::display).collect(Collectors.joining(", "));
                throw new TidegateException(
                        ErrorCode.CONFIG_INVALID,
                        pattern + " is no table of this pipeline; it has " + (all.isEmpty() ? "none yet" : all),
                        "Name one of these.",
                        null);
            }
            for (TableRecord table : chosen) {
                next = next.with(table.again());
            }
        }
        return next;
    }

    /** Whether a table of this name was read before. */
    boolean knows(String display) {
        return source.get(KNOWN + display) != null;
    }

    /** OIDs of tables that were captured once and are not any more. */
    Set<Long> removed() {
        Set<Long> oids = new TreeSet<>();
        source.entries().forEach((name, oid) -> {
            if (name.startsWith(KNOWN)) {
                oids.add(Long.parseLong(oid));
            }
        });
        oids.removeAll(fingerprint().tables());
        return oids;
    }

    /** The number of the newest attempt at the snapshot; 0 before the first. */
    public int attempt() {
        String text = source.get(ATTEMPT);
        return text == null ? 0 : Integer.parseInt(text);
    }

    public Fingerprint fingerprint() {
        return Fingerprint.of(source);
    }

    private @Nullable Lsn lsn(String name) {
        String text = source.get(name);
        return text == null ? null : Lsn.parse(text);
    }

    private String required(String name) {
        String text = source.get(name);
        if (text == null) {
            throw new TidegateException(ErrorCode.STATE_DAMAGED, "the state has no entry '" + name + "'");
        }
        return text;
    }
}
