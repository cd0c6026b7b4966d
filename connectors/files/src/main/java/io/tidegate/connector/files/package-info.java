/** Writes changes to files. */
@NullMarked
package io.tidegate.connector.files;

import org.jspecify.annotations.NullMarked;
