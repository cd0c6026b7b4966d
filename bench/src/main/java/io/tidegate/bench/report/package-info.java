/** What was measured, as tables for people and as JSON. */
@NullMarked
package io.tidegate.bench.report;

import org.jspecify.annotations.NullMarked;
