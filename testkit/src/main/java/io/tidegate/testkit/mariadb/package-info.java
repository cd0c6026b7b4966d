/**
 * A real MariaDB server on the loopback address. Entry is {@link io.tidegate.testkit.mariadb.MariaDbServer}. Thread-safe.
 */
@NullMarked
package io.tidegate.testkit.mariadb;

import org.jspecify.annotations.NullMarked;
