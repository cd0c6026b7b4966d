/** Shared test support: PostgreSQL servers to start and stop, and engine helpers. */
@NullMarked
package io.tidegate.testkit;

import org.jspecify.annotations.NullMarked;
