/**
 * Knows what must hold, and looks at each step whether it does. Entry class: {@link io.tidegate.simulation.check.Checks}. Its
 * checkers see what passes between the engine and the simulated world, and nothing of the engine's own state.
 */
@NullMarked
package io.tidegate.simulation.check;

import org.jspecify.annotations.NullMarked;
