package io.tidegate.testkit.explore;

import io.tidegate.testkit.mutant.Replacement;

/**
 * One rule broken on purpose: a piece of a real source file replaced, where it is found exactly once.
 *
 * @param name what the broken rule does
 * @param file the class whose source is changed
 * @param find the text that is replaced
 * @param put the text in its place
 * @param configuration where exploration must catch it; {@link #WALKS}: random walks must
 * @param verdict how the text of the violation begins
 */
record Mutant(String name, String file, String find, String put, String configuration, String verdict) {

    static final String WALKS = "walks";

    Replacement replacement() {
        return new Replacement(file, find, put);
    }

    @Override
    public String toString() {
        return name;
    }
}
