/**
 * The one package through which clock, randomness, threads and disk enter the engine; everything else in it is given
 * them, so that a simulation can give it others. Nothing here decides anything.
 */
@NullMarked
package io.tidegate.engine.env;

import org.jspecify.annotations.NullMarked;
