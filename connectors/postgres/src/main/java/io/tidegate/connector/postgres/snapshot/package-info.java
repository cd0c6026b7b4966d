/**
 * Reads the rows that are there at the start, in chunks under one snapshot. Entry classes:
 * {@link io.tidegate.connector.postgres.snapshot.SnapshotHolder} and
 * {@link io.tidegate.connector.postgres.snapshot.ChunkReader}. The holder belongs to the session's thread, each reader to its
 * own.
 */
@NullMarked
package io.tidegate.connector.postgres.snapshot;

import org.jspecify.annotations.NullMarked;
