package io.tidegate.spi;

/**
 * One result of a preflight.
 *
 * @param object what it is about: a table, a setting of the server, a role
 * @param problem what is wrong, or good, in one sentence
 * @param cure the statement or the setting that mends it; empty if nothing has to be done
 */
public record Finding(Severity severity, ErrorCode code, String object, String problem, String cure) {

    /** Whether a pipeline can run with it. */
    public enum Severity {
        ERROR,
        WARNING,
        INFO
    }

    public static Finding error(ErrorCode code, String object, String problem, String cure) {
        return new Finding(Severity.ERROR, code, object, problem, cure);
    }

    public static Finding warning(ErrorCode code, String object, String problem, String cure) {
        return new Finding(Severity.WARNING, code, object, problem, cure);
    }
}
