/**
 * The Tidegate program: configuration, wiring, commands and metrics. Entry class: {@link io.tidegate.server.Tidegate}.
 * Commands run on the main thread; what stops pipelines on a signal runs on a thread of its own.
 */
@NullMarked
package io.tidegate.server;

import org.jspecify.annotations.NullMarked;
