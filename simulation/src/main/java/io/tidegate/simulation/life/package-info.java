/**
 * Starts, ends and judges the processes of one run, and is the application that writes. Entry class:
 * {@link io.tidegate.simulation.life.Operator}. Of the thread that has the baton.
 */
@NullMarked
package io.tidegate.simulation.life;

import org.jspecify.annotations.NullMarked;
