/** What is measured: which data, which contenders, which figures. */
@NullMarked
package io.tidegate.bench.workload;

import org.jspecify.annotations.NullMarked;
