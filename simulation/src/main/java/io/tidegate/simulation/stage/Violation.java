package io.tidegate.simulation.stage;

/** An invariant is broken. */
public final class Violation extends AssertionError {

    private static final long serialVersionUID = 1;

    private final String rule;

    public Violation(String rule, String text) {
        super(rule + ": " + text);
        this.rule = rule;
    }

    /** Which invariant, or which other rule. */
    public String rule() {
        return rule;
    }
}
