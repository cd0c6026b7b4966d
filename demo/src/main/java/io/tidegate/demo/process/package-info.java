/** The engine as a process of its own: started, stopped, killed, and its output read. */
@NullMarked
package io.tidegate.demo.process;

import org.jspecify.annotations.NullMarked;
