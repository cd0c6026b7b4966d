package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.server.Slot;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.connector.postgres.wire.ReplicationConnection.SystemIdentity;
import io.tidegate.connector.postgres.wire.ReplicationConnection.TimelineEnd;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.util.List;
import java.util.Set;

/** Proves that the log can be read exactly on from a position (I13; rules 2 and 3). */
public final class Continuity {

    private final PostgresConfig config;

    /**
     * The server that was found.
     *
     * @param common up to here its log is the one that the state speaks of: the fork, or the end of its log
     */
    public record Server(int timeline, Lsn common) {}

    public Continuity(PostgresConfig config) {
        this.config = config;
    }

    /**
     * The server is the one that the position belongs to, and has the log up to it.
     *
     * @return the server's timeline, which may be a later one that forked at or after the position, and up to where its log is
     *     the one that the state speaks of
     * @throws TidegateException {@link ErrorCode#POSITION_LOST}; {@link ErrorCode#SOURCE_UNAVAILABLE} at a standby of the
     *     server, which may have neither the slot nor all of the log: that says nothing about the position
     */
    public Server server(ReplicationConnection connection, BirthRecord record, Lsn position) {
        SystemIdentity identity = connection.identifySystem();
        if (!identity.systemId().equals(record.systemId())) {
            throw lost("this is another server: its system identifier is " + identity.systemId()
                    + ", that of the state is " + record.systemId());
        }
        if (connection.show("in_hot_standby").equals("on")) {
            throw new TidegateException(
                    ErrorCode.SOURCE_UNAVAILABLE,
                    config.server().display()
                            + " is a standby now; reading from a standby is not supported, the primary is waited for. Promote it, or"
                            + " name the primary in 'url'");
        }
        Lsn common = identity.timeline() == record.timeline()
                ? connection.insertEnd() // as a row that was read says where the log was (rule 8)
                : fork(
                        connection.timelineHistory(identity.timeline()),
                        identity.timeline(),
                        record.timeline(),
                        position);
        if (position.isAfter(identity.flushed())) {
            throw lost("the checkpoint " + position + " lies beyond the end of the server's log, " + identity.flushed()
                    + ": the server was restored from a backup, or is a copy");
        }
        return new Server(identity.timeline(), common);
    }

    /** Where the stored timeline was left. */
    static Lsn fork(List<TimelineEnd> history, int current, int stored, Lsn position) {
        for (TimelineEnd end : history) {
            if (end.timeline() == stored) {
                if (end.end().isBefore(position)) {
                    throw lost("the server's timeline " + current + " left timeline " + stored + " at " + end.end()
                            + ", before the checkpoint " + position
                            + ": what was read after the fork is not in its log");
                }
                return end.end();
            }
        }
        throw lost("the server's timeline " + current + " does not descend from timeline " + stored
                + " of the checkpoint " + position);
    }

    /** The slot is there and can be read. */
    Slot usable(SqlSession control, Lsn position) {
        Slot slot = Slot.find(control, config.slot())
                .orElseThrow(() ->
                        lost("the replication slot " + config.slot() + " is gone; the checkpoint is " + position));
        slot.unusable(config.server().database()).ifPresent(why -> {
            throw lost("the replication slot " + config.slot() + " " + why + "; the checkpoint is " + position);
        });
        return slot;
    }

    /** The slot is there, can be read, and nobody moved it past the position. */
    public Slot slot(SqlSession control, Lsn position) {
        Slot slot = usable(control, position);
        Lsn confirmed = slot.confirmed();
        if (confirmed == null || confirmed.isAfter(position)) {
            throw lost("the replication slot " + config.slot() + " stands at " + confirmed + ", after the checkpoint "
                    + position
                    + ": somebody else read from it, or it was made again. Changes between the two are gone");
        }
        return slot;
    }

    /** After START was accepted, before anything is confirmed: the slot is read by our walsender. */
    public void reading(SqlSession control, int walsender, Lsn position) {
        Slot slot = slot(control, position);
        if (slot.activePid() != walsender) {
            throw new TidegateException(
                    ErrorCode.SLOT_ACTIVE,
                    "the slot " + config.slot() + " is in use by " + (slot.active() ? slot.user() : "nobody")
                            + ", not by our walsender " + walsender);
        }
    }

    /**
     * The publication is the one that positions depend on; what became of its tables is another question
     * ({@link TableChanges}).
     */
    public void publication(SqlSession control, BirthRecord record) {
        Fingerprint now = Fingerprint.read(control, config.publication(), Set.of());
        record.fingerprint().publicationChange(now).ifPresent(change -> {
            throw lost("publication " + config.publication() + " " + change
                    + ". Changes may have been left out of the log");
        });
    }

    static TidegateException lost(String message) {
        return new TidegateException(ErrorCode.POSITION_LOST, message);
    }
}
