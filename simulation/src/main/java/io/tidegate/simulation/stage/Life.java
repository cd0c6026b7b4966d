package io.tidegate.simulation.stage;

import io.tidegate.simulation.schedule.Killed;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** One life of the process that the engine runs in. Whatever of it reaches the simulated world passes here. */
public final class Life {

    private static final int DEATH_ONE_IN = 300;

    private final Stage stage;
    private final Consumer<Fault> death;
    private boolean dead;

    /** {@code death} ends the process; it is told how. */
    public Life(Stage stage, Consumer<Fault> death) {
        this.stage = stage;
        this.death = death;
    }

    /** A call out of the engine begins, or is about to return: the process may die right here. */
    public void pass(String call) {
        checkAlive();
        if (stage.faults().strikes(Fault.KILL_IN_CALL, DEATH_ONE_IN)) {
            dieIn(call, Fault.KILL_IN_CALL);
        }
        if (stage.faults().strikes(Fault.POWER_LOSS_IN_CALL, DEATH_ONE_IN)) {
            dieIn(call, Fault.POWER_LOSS_IN_CALL);
        }
    }

    private void dieIn(String call, Fault how) {
        stage.say(() -> "   in " + call);
        death.accept(how);
        throw new Killed();
    }

    public void checkAlive() {
        if (dead) {
            throw new Killed();
        }
    }

    public boolean isDead() {
        return dead;
    }

    public void die() {
        dead = true;
    }

    /** The call waits, in the middle of its step. Returns whether {@code until} holds. */
    public boolean await(long nanosMax, BooleanSupplier until) {
        checkAlive();
        stage.saw(Seen.BLOCKED_CALL);
        return stage.scheduler().block(nanosMax, until);
    }
}
