package io.tidegate.simulation;

import io.tidegate.testkit.mutant.Replacement;

/**
 * One rule broken on purpose.
 *
 * @param name what the broken rule does
 * @param change in the real engine, the file sink, or the simulated source or target, which then is the twin of a real one
 * @param where it must be caught: what the swarm of a seed must have, separated by spaces
 * @param rule that the first violation must name
 * @param from the seed that the hunt begins with: one that catches it is near, so that a build is not kept
 */
record Mutant(String name, Replacement change, String where, String rule, long from) {

    Mutant(String name, String file, String find, String put, String where, String rule) {
        this(name, new Replacement(file, find, put), where, rule, 1);
    }

    Mutant from(long seed) {
        return new Mutant(name, change, where, rule, seed);
    }

    @Override
    public String toString() {
        return name;
    }
}
