/** The Tidegate program: configuration, wiring, commands and metrics. */
@NullMarked
package io.tidegate.server;

import org.jspecify.annotations.NullMarked;
