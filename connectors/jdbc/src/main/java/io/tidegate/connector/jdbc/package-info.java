/**
 * Writes changes to the tables of a database, effectively once: the ordinal of the last change is written in the same
 * transaction as the changes.
 *
 * <p>Entry is {@link io.tidegate.connector.jdbc.JdbcConnector}; {@link io.tidegate.connector.jdbc.JdbcSession} says what
 * holds. Everything belongs to the sink's thread but {@code abort}. What differs between databases is behind {@link
 * io.tidegate.connector.jdbc.Dialect}.
 */
@NullMarked
package io.tidegate.connector.jdbc;

import org.jspecify.annotations.NullMarked;
