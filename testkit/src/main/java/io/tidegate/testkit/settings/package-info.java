/**
 * Settings for tests of connectors: {@link io.tidegate.testkit.settings.MapSettings}. Belongs to the test's thread.
 */
@NullMarked
package io.tidegate.testkit.settings;

import org.jspecify.annotations.NullMarked;
