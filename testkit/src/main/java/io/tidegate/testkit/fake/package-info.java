/**
 * A source and a sink in memory that do what a test scripts: transactions, chunks before a log, an upstream that prunes what
 * was acknowledged; a sink that is late, fails, refuses or hangs. Entry classes:
 * {@link io.tidegate.testkit.fake.ScriptedSource} and {@link io.tidegate.testkit.fake.ScriptedSink}.
 */
@NullMarked
package io.tidegate.testkit.fake;

import org.jspecify.annotations.NullMarked;
