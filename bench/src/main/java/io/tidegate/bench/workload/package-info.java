/** What the contenders are given to do, each with its table of results. */
@NullMarked
package io.tidegate.bench.workload;

import org.jspecify.annotations.NullMarked;
