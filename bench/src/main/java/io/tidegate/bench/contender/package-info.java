/** Those that are measured, each the main class of a process of its own, and all with the same receiving end. */
@NullMarked
package io.tidegate.bench.contender;

import org.jspecify.annotations.NullMarked;
