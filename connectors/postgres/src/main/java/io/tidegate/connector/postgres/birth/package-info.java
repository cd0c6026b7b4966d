/**
 * How a pipeline begins and proves that it can go on: the preflight, the steps of the birth, continuity, fingerprints.
 * Entry classes: {@link io.tidegate.connector.postgres.birth.Birth} and
 * {@link io.tidegate.connector.postgres.birth.Preflight}. All of it belongs to the session's thread.
 */
@NullMarked
package io.tidegate.connector.postgres.birth;

import org.jspecify.annotations.NullMarked;
