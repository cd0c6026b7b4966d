/**
 * Holds a running process at one point for good, so that a test can kill it there: inert unless the system property
 * {@code tidegate.test.hold} is set. Entry class: {@link io.tidegate.server.hold.Hold}. A hold is passed by all
 * threads of a pipeline, and keeps those that reach it.
 */
@NullMarked
package io.tidegate.server.hold;

import org.jspecify.annotations.NullMarked;
