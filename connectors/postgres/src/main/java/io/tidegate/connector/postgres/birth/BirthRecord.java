package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.config.TablePattern;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.TidegateException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
    private static final String TAKEN_AT = "snapshot.taken_at_micros";

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
        entries.put(MODE, config.snapshot().name().toLowerCase(Locale.ROOT));
        entries.put(TABLES, patterns(config));
        if (config.snapshot() != SnapshotMode.ONLY) {
            entries.put(SLOT_NAME, config.slot());
            entries.put(SLOT_INTENT, slot.word());
            entries.put(PUBLICATION_NAME, config.publication());
            entries.put(PUBLICATION_INTENT, publication.word());
        }
        return new BirthRecord(source.with(entries));
    }

    BirthRecord born(Lsn position, String systemId, int timeline, Fingerprint fingerprint) {
        return new BirthRecord(source.with(SLOT_POSITION, position.toString())
                        .with(SYSTEM_ID, systemId)
                        .with(fingerprint.entries()))
                .timeline(timeline);
    }

    BirthRecord timeline(int timeline) {
        return new BirthRecord(source.with(TIMELINE, Integer.toString(timeline)));
    }

    BirthRecord attempt(int attempt, Lsn point, long takenAtMicros) {
        return new BirthRecord(source.with(Map.of(
                ATTEMPT, Integer.toString(attempt),
                POINT, point.toString(),
                TAKEN_AT, Long.toString(takenAtMicros))));
    }

    /**
     * Refuses a configuration that the stored state does not belong to.
     *
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID}
     */
    void refuseAnother(PostgresConfig config) {
        same("snapshot", source.get(MODE), config.snapshot().name().toLowerCase(Locale.ROOT));
        same("tables", source.get(TABLES), patterns(config));
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
                    "Write the old value again; or run 'tidegate remove FILE' with it, then 'tidegate state reset FILE', and"
                            + " begin anew with the new one.",
                    null);
        }
    }

    /** The patterns in an order of their own, so that only what they say counts. */
    private static String patterns(PostgresConfig config) {
        return config.tables().stream().map(TablePattern::text).distinct().sorted().collect(Collectors.joining(", "));
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

    /** The number of the newest attempt at the snapshot; 0 before the first. */
    public int attempt() {
        String text = source.get(ATTEMPT);
        return text == null ? 0 : Integer.parseInt(text);
    }

    /** H of the newest attempt; null without one. */
    public @Nullable Lsn point() {
        return lsn(POINT);
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
