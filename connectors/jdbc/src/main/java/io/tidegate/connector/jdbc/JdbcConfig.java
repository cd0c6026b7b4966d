package io.tidegate.connector.jdbc;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Secret;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A configured target.
 *
 * @param names how tables are called at the target
 * @param positionTable where the ordinals are; without a schema: where the session's statements look first
 * @param lockTimeout how long a statement waits for a lock of somebody else
 */
record JdbcConfig(
        String pipeline,
        Login login,
        Mode mode,
        Names names,
        boolean createTables,
        boolean evolve,
        Truncates truncates,
        TableName positionTable,
        Duration lockTimeout) {

    /** What the target's tables are to hold. */
    enum Mode {
        /** The rows that the source's tables have. */
        UPSERT,
        /** One row for each change. */
        APPEND
    }

    /** What a truncate does in mode upsert. */
    enum Truncates {
        APPLY,
        IGNORE,
        REJECT
    }

    /** How to get in. */
    record Login(
            TargetUrl url,
            @Nullable String user,
            @Nullable Secret password,
            String tlsMode,
            @Nullable Path ca) {}

    /** Templates in which {@code {schema}} and {@code {table}} stand for the source's names. */
    record Names(String schema, String table) {

        static final String SCHEMA = "{schema}";
        static final String TABLE = "{table}";

        TableName of(TableSchema source) {
            return new TableName(filled(schema, source), filled(table, source));
        }

        private static String filled(String template, TableSchema source) {
            // in one pass: a schema can be called {table}
            StringBuilder name = new StringBuilder();
            int at = 0;
            while (at < template.length()) {
                if (template.startsWith(SCHEMA, at)) {
                    name.append(source.namespace());
                    at += SCHEMA.length();
                } else if (template.startsWith(TABLE, at)) {
                    name.append(source.name());
                    at += TABLE.length();
                } else {
                    name.append(template.charAt(at++));
                }
            }
            if (name.isEmpty()) {
                throw new TidegateException(
                        ErrorCode.CONFIG_INVALID,
                        "names: the template '" + template + "' gives " + source.display() + " an empty name");
            }
            return name.toString();
        }
    }
}
