/** The bench: {@code bench/run} starts it. */
@NullMarked
package io.tidegate.bench;

import org.jspecify.annotations.NullMarked;
