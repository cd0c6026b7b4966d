/**
 * What a user configures: the server's address, TLS, table patterns, names of slot and publication. Entry class:
 * {@link io.tidegate.connector.postgres.config.PostgresConfig}. Values without connections, for any thread.
 */
@NullMarked
package io.tidegate.connector.postgres.config;

import org.jspecify.annotations.NullMarked;
