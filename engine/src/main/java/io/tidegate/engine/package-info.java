/**
 * Runs pipelines. Entry class: {@link io.tidegate.engine.Pipeline}: start it, stop it, wait for its outcome, read its
 * status; any thread. Below it: {@code gate} decides, {@code session} gives the decisions threads, {@code store} keeps
 * checkpoints, {@code env} holds clock, randomness, threads and disk.
 */
@NullMarked
package io.tidegate.engine;

import org.jspecify.annotations.NullMarked;
