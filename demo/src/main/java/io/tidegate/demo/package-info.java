/** A self-contained run of Tidegate against a throwaway database. */
@NullMarked
package io.tidegate.demo;

import org.jspecify.annotations.NullMarked;
