/**
 * The server as ordinary connections see it: connecting, its facts, its catalogue, its slots and publications. Entry
 * class: {@link io.tidegate.connector.postgres.server.Connections}. A connection belongs to one thread; closing all of them
 * at once ({@code abort}) may be done by any.
 */
@NullMarked
package io.tidegate.connector.postgres.server;

import org.jspecify.annotations.NullMarked;
