/**
 * Breaks a rule of the code on purpose: a piece of a real source file is replaced, compiled in memory, and run in place of
 * the original, so that a test can show that it would notice. Entry class:
 * {@link io.tidegate.testkit.mutant.MutantCompiler}. Any thread; nothing is kept between two calls.
 */
@NullMarked
package io.tidegate.testkit.mutant;

import org.jspecify.annotations.NullMarked;
