package io.tidegate.connector.postgres;

import io.tidegate.connector.postgres.birth.BirthRecord;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.Slot;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Drops the slot and the publication that were made under our intent, and nothing else. */
final class PostgresRemoval implements Source.Removal {

    private final Connections connections;
    private final SqlSession control;
    private final BirthRecord record;

    private PostgresRemoval(Connections connections, SqlSession control, BirthRecord record) {
        this.connections = connections;
        this.control = control;
        this.record = record;
    }

    static PostgresRemoval open(PostgresConfig config, BirthRecord record) {
        Connections connections = new Connections(config.server());
        return new PostgresRemoval(connections, connections.control(), record);
    }

    private Optional<Slot> slot() {
        return record.ours(true).flatMap(name -> Slot.find(control, name));
    }

    private Optional<Publication> publication() {
        return record.ours(false).flatMap(name -> Publication.find(control, name));
    }

    private static String drop(Slot slot) {
        return "SELECT pg_drop_replication_slot(" + Sql.text(slot.name()) + ")";
    }

    private static String drop(Publication publication) {
        return "DROP PUBLICATION " + Sql.name(publication.name());
    }

    @Override
    public List<String> describe() {
        List<String> things = new ArrayList<>();
        slot().ifPresent(slot ->
                things.add("replication slot " + slot.name() + ", which holds " + slot.retainedBytes() + " bytes of log"
                        + (slot.active() ? " and is in use by " + slot.user() : "") + ": " + drop(slot) + ";"));
        publication().ifPresent(p -> things.add("publication " + p.name() + ": " + drop(p) + ";"));
        return things;
    }

    /** The slot first: while it is in use nothing is dropped. */
    @Override
    public void execute() {
        slot().ifPresent(slot -> {
            slot.refuseActive();
            control.execute(drop(slot));
        });
        publication().ifPresent(publication -> control.execute(drop(publication)));
    }

    @Override
    public void close() {
        control.close();
        connections.close();
    }
}
