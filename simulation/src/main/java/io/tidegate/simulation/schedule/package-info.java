/**
 * Steps the roles of one run, one at a time, in an order that its choices give, on a clock of its own. Entry class:
 * {@link io.tidegate.simulation.schedule.Scheduler}. One thread runs at any time: the one that has the baton.
 */
@NullMarked
package io.tidegate.simulation.schedule;

import org.jspecify.annotations.NullMarked;
