/**
 * A disk in memory that loses, tears and refuses as real ones do: what a test crashes where a process cannot. Entry
 * class: {@link io.tidegate.testkit.disk.SimulatedDisk}. Any thread may call it.
 */
@NullMarked
package io.tidegate.testkit.disk;

import org.jspecify.annotations.NullMarked;
