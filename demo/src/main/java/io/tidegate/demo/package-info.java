/**
 * A self-contained run of Tidegate against a throwaway database. {@link io.tidegate.demo.Demo} is the program; {@code shop}
 * holds the database and its load, {@code process} the engine's process, and {@code compare} says whether anything is
 * missing. One thread decides all that happens ({@link io.tidegate.demo.DemoRun}); the others only tell it.
 */
@NullMarked
package io.tidegate.demo;

import org.jspecify.annotations.NullMarked;
