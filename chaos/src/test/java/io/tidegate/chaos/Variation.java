package io.tidegate.chaos;

/** How a {@link KillScenario} is run. */
enum Variation {
    /** Killed as soon as it is seen where it is to be. */
    KILL("killed at once"),
    /** Killed some seconds after it was seen there: what holds it there lets no time pass. */
    STALL("killed after a stall"),
    /** Killed, and the upstream has forgotten nothing of what was acknowledged before. */
    RETAINING("killed, with an upstream that forgets nothing"),
    /** Neither held nor killed: what the scenario asks for is what a run without it gives. */
    CONTROL("neither held nor killed"),
    /** Killed with a rule of the product broken: the scenario fails. */
    MUTANT("killed, with a rule broken");

    private final String text;

    Variation(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
