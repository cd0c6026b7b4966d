/**
 * Looks at a whole database before there is a pipeline, for {@code init}. Entry class:
 * {@link io.tidegate.connector.postgres.discover.PostgresDiscovery}. Runs on the caller's thread; changes nothing.
 */
@NullMarked
package io.tidegate.connector.postgres.discover;

import org.jspecify.annotations.NullMarked;
