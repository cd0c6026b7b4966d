/** What is measured runs in a process of its own; what a process used, by the kernel's count. */
@NullMarked
package io.tidegate.bench.process;

import org.jspecify.annotations.NullMarked;
