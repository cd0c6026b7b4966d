/**
 * From a type and its text, as the server prints it under pinned session settings, to canonical values. Stream and
 * snapshot build their rows here alike, so the same row gives the same value (I16). Entry classes:
 * {@link io.tidegate.connector.postgres.value.TableShape} and
 * {@link io.tidegate.connector.postgres.value.TextRow}. Everything but a
 * {@link io.tidegate.connector.postgres.value.TypeCatalogue} is immutable and can be used by any thread.
 */
@NullMarked
package io.tidegate.connector.postgres.value;

import org.jspecify.annotations.NullMarked;
