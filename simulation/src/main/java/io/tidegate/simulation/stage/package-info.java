/**
 * What all simulated parts of one run share: choices, faults, trace and counts. Entry class:
 * {@link io.tidegate.simulation.stage.Stage}. Of the thread that has the baton.
 */
@NullMarked
package io.tidegate.simulation.stage;

import org.jspecify.annotations.NullMarked;
