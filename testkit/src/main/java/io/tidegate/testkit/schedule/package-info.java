/**
 * Tries the schedules of a few threads, to find the one in which they fail. Entry class:
 * {@link io.tidegate.testkit.schedule.Schedules}. One scenario at a time in a JVM. A module that uses it names Lincheck as a
 * dependency of its own.
 */
@NullMarked
package io.tidegate.testkit.schedule;

import org.jspecify.annotations.NullMarked;
