package io.tidegate.spi;

import java.util.Arrays;
import java.util.Optional;

/**
 * Every failure that Tidegate reports, with what follows from it. The one table of codes: {@code docs/errors.md} is
 * compared with it.
 */
public enum ErrorCode {
    CONFIG_INVALID("TG-CONFIG-INVALID", Outcome.HALT, 2, "Correct the configuration file and start again."),
    CONFIG_UNREADABLE("TG-CONFIG-UNREADABLE", Outcome.HALT, 2, "Check the path and its permissions."),
    SECRET_MISSING("TG-SECRET-MISSING", Outcome.HALT, 2, "Set the variable, or create the file."),
    PREFLIGHT("TG-PREFLIGHT", Outcome.HALT, 3, "Run 'tidegate check FILE': it lists everything that is missing."),
    PERMISSION("TG-PERMISSION", Outcome.HALT, 3, "Run 'tidegate check FILE': it prints the GRANT that is missing."),
    AUTHENTICATION("TG-AUTHENTICATION", Outcome.HALT, 3, "Check user, password and pg_hba.conf."),
    TLS("TG-TLS", Outcome.HALT, 3, "Check sslmode, the CA file and the host name in the certificate."),
    PUBLICATION("TG-PUBLICATION", Outcome.HALT, 3, "Run 'tidegate check FILE'."),
    SYNCHRONOUS_STANDBY(
            "TG-SYNCHRONOUS-STANDBY",
            Outcome.HALT,
            3,
            "Leave this pipeline's application_name out of synchronous_standby_names: commits would wait for it."),
    POSITION_LOST(
            "TG-POSITION-LOST",
            Outcome.HALT,
            4,
            "Changes after the checkpoint cannot be read any more. Run 'tidegate remove FILE' and 'tidegate state reset FILE',"
                    + " then start again: a new snapshot runs. Or repair what the message names."),
    TABLE_LOST(
            "TG-TABLE-LOST",
            Outcome.SHOWN,
            4,
            "Changes of this table are not delivered any more; the other tables go on. Repair what the message names, then run"
                    + " 'tidegate resnapshot FILE TABLE'; or take the table out of 'tables'."),
    STATE_MISSING(
            "TG-STATE-MISSING",
            Outcome.HALT,
            4,
            "Bring the state directory back. If it is lost for good, drop the slot, SELECT pg_drop_replication_slot('NAME'),"
                    + " and start anew, or set slot.adopt: true to go on from where the slot is."),
    STATE_DAMAGED(
            "TG-STATE-DAMAGED",
            Outcome.HALT,
            4,
            "Restore the state file from a backup, or set it aside with 'tidegate state reset FILE'; the slot then has to be"
                    + " dropped for a new snapshot, or adopted."),
    STATE_NEWER(
            "TG-STATE-NEWER",
            Outcome.HALT,
            4,
            "Run the version of Tidegate that wrote it, or a later one. docs/install.md says how to go back."),
    STATE_HELD("TG-STATE-HELD", Outcome.HALT, 4, "Only one process can run a pipeline. Stop the other one first."),
    STATE_WRITE("TG-STATE-WRITE", Outcome.RETRY, 5, "Check space and permissions of the state directory."),
    SOURCE_UNAVAILABLE("TG-SOURCE-UNAVAILABLE", Outcome.RETRY, 5, "It is tried again."),
    SOURCE_SILENT("TG-SOURCE-SILENT", Outcome.RETRY, 5, "It is tried again. Check the network to the database."),
    SLOT_ACTIVE("TG-SLOT-ACTIVE", Outcome.RETRY, 5, "Only one reader can use a slot. It is tried again."),
    TABLE_REWRITTEN("TG-TABLE-REWRITTEN", Outcome.RETRY, 5, "The snapshot starts again."),
    TABLES_CHANGED(
            "TG-TABLES-CHANGED",
            Outcome.AGAIN,
            5,
            "Nothing failed: the session ends so that its tables are planned anew."),
    STATUS_UNAVAILABLE(
            "TG-STATUS-UNAVAILABLE",
            Outcome.RETRY,
            5,
            "Is the pipeline running, and with --http on? Give its address with --url http://HOST:PORT."),
    SINK_FAILED("TG-SINK-FAILED", Outcome.RETRY, 5, "It is tried again."),
    SINK_CLOSED("TG-SINK-CLOSED", Outcome.STOP, 0, ""),
    REJECTED(
            "TG-REJECTED",
            Outcome.HALT,
            6,
            "The sink refuses this change. Correct the target, or choose another policy with 'rejects'."),
    ROW_MISSING(
            "TG-ROW-MISSING",
            Outcome.HALT,
            6,
            "The target lacks a row that the source has: somebody else changed the target, or it was not complete when the"
                    + " pipeline began. Read the table again: 'tidegate resnapshot FILE TABLE'."),
    VALUE_UNREADABLE("TG-VALUE-UNREADABLE", Outcome.HALT, 6, "Report it with the type of the column."),
    MESSAGE_UNKNOWN("TG-MESSAGE-UNKNOWN", Outcome.HALT, 6, "Upgrade Tidegate, or report it with the server's version."),
    ROW_TOO_LARGE("TG-ROW-TOO-LARGE", Outcome.HALT, 6, "Raise max_row_bytes and the heap, or leave the column out."),
    SERVER_ROW_TOO_LARGE(
            "TG-SERVER-ROW-TOO-LARGE",
            Outcome.HALT,
            6,
            "The server cannot send this row: its text is longer than one gigabyte. Leave the column out of the publication."),
    INTERNAL("TG-INTERNAL", Outcome.HALT, 7, "This is a fault in Tidegate. Nothing is lost; please report it.");

    /** What supervision does after a failure. */
    public enum Outcome {
        /** A new session, after a back-off. */
        RETRY,
        /** A new session at once; nothing went wrong. */
        AGAIN,
        /** Nothing stops: it is a standing problem of a part, shown until it is mended, and ends no session. */
        SHOWN,
        /** The pipeline stops with the error; trying again cannot mend it. */
        HALT,
        /** The pipeline stops as if it had been asked to. */
        STOP
    }

    private final String code;
    private final Outcome outcome;
    private final int exitStatus;
    private final String advice;

    ErrorCode(String code, Outcome outcome, int exitStatus, String advice) {
        this.code = code;
        this.outcome = outcome;
        this.exitStatus = exitStatus;
        this.advice = advice;
    }

    public String code() {
        return code;
    }

    public Outcome outcome() {
        return outcome;
    }

    /** The exit status of a process that ends for this reason. */
    public int exitStatus() {
        return exitStatus;
    }

    /** What to do, in one or two sentences. */
    public String advice() {
        return advice;
    }

    public static Optional<ErrorCode> of(String code) {
        return Arrays.stream(values()).filter(e -> e.code.equals(code)).findFirst();
    }
}
