/**
 * The log as a split: reads, answers, confirms. Entry class:
 * {@link io.tidegate.connector.postgres.log.LogReader}, which belongs to its reader thread.
 */
@NullMarked
package io.tidegate.connector.postgres.log;

import org.jspecify.annotations.NullMarked;
