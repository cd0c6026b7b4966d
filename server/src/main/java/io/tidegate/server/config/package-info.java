/**
 * Reads pipeline files: YAML to values that are checked against the {@link io.tidegate.spi.Setting}s of the engine and
 * of the connectors. Entry class: {@link io.tidegate.server.config.ConfigLoader}. All of it runs on the caller's thread;
 * what it gives is immutable.
 */
@NullMarked
package io.tidegate.server.config;

import org.jspecify.annotations.NullMarked;
