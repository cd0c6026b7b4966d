/**
 * Waiting with a limit. {@link io.tidegate.testkit.await.Await} is the only place in the tests that parks a thread; any
 * thread may use it.
 */
@NullMarked
package io.tidegate.testkit.await;

import org.jspecify.annotations.NullMarked;
