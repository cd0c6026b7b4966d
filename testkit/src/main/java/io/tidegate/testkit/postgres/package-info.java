/**
 * Real PostgreSQL servers as child processes of a test. {@link io.tidegate.testkit.postgres.PostgresServer} is one server
 * that can be stopped, killed and started again; {@link io.tidegate.testkit.postgres.SharedPostgres} is one per version
 * and JVM, for tests that only need a database. A server's life cycle is driven by one thread at a time; connections may be
 * opened from any.
 */
@NullMarked
package io.tidegate.testkit.postgres;

import org.jspecify.annotations.NullMarked;
