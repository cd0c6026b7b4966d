package io.tidegate.chaos;

import java.util.concurrent.ThreadLocalRandom;

/** The seed of a scenario: printed, and taken from the system property {@code chaos.seed} if that is set. */
final class Seeds {

    private Seeds() {}

    static long of(String scenario) {
        long seed = Long.getLong("chaos.seed", ThreadLocalRandom.current().nextInt(1_000_000));
        System.out.println("chaos " + scenario + ": -Dchaos.seed=" + seed);
        return seed;
    }
}
