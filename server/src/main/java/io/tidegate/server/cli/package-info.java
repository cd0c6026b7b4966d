/**
 * The command line. Entry class: {@link io.tidegate.server.cli.CommandLines}; {@link io.tidegate.server.cli.Wiring} is the
 * one place where connectors, store and engine are put together. Commands run on the thread that calls them.
 */
@NullMarked
package io.tidegate.server.cli;

import org.jspecify.annotations.NullMarked;
