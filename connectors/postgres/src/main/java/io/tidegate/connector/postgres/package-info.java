/** Reads changes from PostgreSQL and writes them to it. */
@NullMarked
package io.tidegate.connector.postgres;

import org.jspecify.annotations.NullMarked;
