/**
 * The replication connection: the driver connects, authenticates and encrypts; from then on the socket is read and
 * written here, because the driver hides notices, confirms positions by itself, and reads a message before its length
 * can be judged (rules 3, 4, 17). Entry class: {@link io.tidegate.connector.postgres.wire.ReplicationConnection}. All
 * of it belongs to one thread, except methods called {@code abort}.
 */
@NullMarked
package io.tidegate.connector.postgres.wire;

import org.jspecify.annotations.NullMarked;
