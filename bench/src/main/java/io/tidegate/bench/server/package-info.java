/** The database that everything is measured on. */
@NullMarked
package io.tidegate.bench.server;

import org.jspecify.annotations.NullMarked;
