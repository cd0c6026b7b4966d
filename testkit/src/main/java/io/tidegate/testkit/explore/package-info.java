/**
 * Explores the functional core: every interleaving of a small {@link io.tidegate.testkit.explore.World} around one gate,
 * random walks through larger ones. Entry class: {@link io.tidegate.testkit.explore.Explore}, from the command line.
 * Nothing in here has a thread, a clock or chance of its own but the seeds it is given.
 */
@NullMarked
package io.tidegate.testkit.explore;

import org.jspecify.annotations.NullMarked;
