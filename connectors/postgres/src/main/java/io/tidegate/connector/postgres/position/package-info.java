/**
 * Places in PostgreSQL's write-ahead log, and where a change stands in it. Values only: immutable, any thread. Entry
 * classes: {@link io.tidegate.connector.postgres.position.Lsn} and
 * {@link io.tidegate.connector.postgres.position.LsnPositions}.
 */
@NullMarked
package io.tidegate.connector.postgres.position;

import org.jspecify.annotations.NullMarked;
