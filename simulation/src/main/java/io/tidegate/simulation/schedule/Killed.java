package io.tidegate.simulation.schedule;

/** Unwinds a step of a process that is dead. Whoever catches it has nothing left to do. */
public final class Killed extends Error {

    private static final long serialVersionUID = 1;

    public Killed() {
        super("the process is dead", null, false, false);
    }
}
