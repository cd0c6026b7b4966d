/** Changes that are written to a table by different means, each in a process of its own; what the table then must hold. */
@NullMarked
package io.tidegate.bench.jdbc;

import org.jspecify.annotations.NullMarked;
