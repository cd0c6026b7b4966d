package io.tidegate.engine.env;

import io.tidegate.spi.Disk;
import java.util.random.RandomGenerator;

/** All that the engine has of the world: clock, randomness, threads and disk. */
public record Environment(Clock clock, RandomGenerator random, Threads threads, Disk disk) {

    /** This machine. */
    public static Environment system() {
        return new Environment(Clock.system(), new java.util.SplittableRandom(), Threads.system(), new RealDisk());
    }
}
