/**
 * Compares what was committed with what was delivered. Values and no I/O: {@link io.tidegate.demo.compare.Delivery} takes
 * lines, {@link io.tidegate.demo.compare.Comparison} the ledger, and gives a {@link io.tidegate.demo.compare.Verdict}.
 */
@NullMarked
package io.tidegate.demo.compare;

import org.jspecify.annotations.NullMarked;
