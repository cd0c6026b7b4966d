/** Encodings of change events, each behind the format contract of the SPI. */
@NullMarked
package io.tidegate.formats;

import org.jspecify.annotations.NullMarked;
