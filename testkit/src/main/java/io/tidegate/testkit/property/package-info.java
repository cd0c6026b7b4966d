/**
 * Properties that hold for all inputs, tried on many generated ones. {@link io.tidegate.testkit.property.Property} runs,
 * shrinks and reports; {@link io.tidegate.testkit.property.Choices} is where all randomness of a run comes from, a
 * simulator's too. One run belongs to one thread.
 */
@NullMarked
package io.tidegate.testkit.property;

import org.jspecify.annotations.NullMarked;
