/**
 * Runs the engine on one scheduler, from one seed, in a world that fails, and checks what must hold at each step. Entry class:
 * {@link io.tidegate.simulation.Simulate}; one run is a {@link io.tidegate.simulation.Simulation}, of one thread at a time.
 */
@NullMarked
package io.tidegate.simulation;

import org.jspecify.annotations.NullMarked;
