package io.tidegate.bench.contender;

/**
 * When the transaction of a change committed, as Debezium's JSON says it: {@code source.ts_us}, microseconds since 1970. While
 * the log is read, that is the commit time in pgoutput's Begin message ("Logical Replication Message Formats" in PostgreSQL's
 * documentation); the {@code ts_us} beside {@code source} is the time at which Debezium made the event.
 */
final class DebeziumCommitTime {

    // Inside of a JSON string each quote is escaped, so a row's values cannot hold these.
    private static final String SOURCE = "\"source\":{";
    private static final String MICROS = "\"ts_us\":";

    private DebeziumCommitTime() {}

    /** Scans an event without parsing it. It must be compact and have no schema, as the engine's JSON is with {@code schemas.enable=false}. */
    static long micros(String event) {
        int source = event.lastIndexOf(SOURCE);
        int field = source < 0 ? -1 : event.indexOf(MICROS, source);
        int end = source < 0 ? -1 : event.indexOf('}', source);
        if (field < 0 || end < field) {
            throw new IllegalArgumentException("no source.ts_us in " + event);
        }
        int first = field + MICROS.length();
        int at = first;
        long micros = 0;
        while (at < end && event.charAt(at) >= '0' && event.charAt(at) <= '9') {
            micros = micros * 10 + event.charAt(at) - '0';
            at++;
        }
        if (at == first) {
            throw new IllegalArgumentException("source.ts_us is no number in " + event);
        }
        return micros;
    }
}
