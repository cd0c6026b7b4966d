/**
 * Where log records go: one line each on standard error. Entry class: {@link io.tidegate.server.log.Logging}. Any thread
 * may log.
 */
@NullMarked
package io.tidegate.server.log;

import org.jspecify.annotations.NullMarked;
