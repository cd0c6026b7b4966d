/** Whole pipelines from real PostgreSQL servers: what happens when network, server, sink or people misbehave. */
@NullMarked
package io.tidegate.server.postgres;

import org.jspecify.annotations.NullMarked;
