/**
 * The messages of the output plug-in {@code pgoutput}, protocol version 1 (PostgreSQL documentation, "Logical
 * Replication Message Formats"): from bytes to changes. Entry class:
 * {@link io.tidegate.connector.postgres.pgoutput.PgOutputDecoder}, which belongs to its reader's thread.
 */
@NullMarked
package io.tidegate.connector.postgres.pgoutput;

import org.jspecify.annotations.NullMarked;
