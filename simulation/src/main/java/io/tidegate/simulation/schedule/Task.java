package io.tidegate.simulation.schedule;

import io.tidegate.engine.env.Role;
import io.tidegate.engine.env.Threads;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A role with what its thread would be: when it runs next, and whether it stands in the middle of a step. */
final class Task implements Threads.Running {

    /** Where it stands between two turns. */
    enum State {
        /** May step at once. */
        READY,
        /** After an idle step: steps when it is woken, or when its time has come. */
        WAITING,
        /** After a step that worked, and whose call would have waited: steps when that wait is over. */
        RESTING,
        /** In the middle of a step, whose call waits. */
        BLOCKED,
        ENDED
    }

    final String name;
    final Role role;
    final Object owner;
    final int weight;
    final Semaphore baton = new Semaphore(0);
    State state = State.READY;
    long until;
    BooleanSupplier over = () -> false;
    boolean awake;
    boolean killed;

    @Nullable
    Rest rest;

    /** What a step asked for. */
    record Rest(long until, BooleanSupplier over) {}

    Task(String name, Role role, Object owner, int weight) {
        this.name = name;
        this.role = role;
        this.owner = owner;
        this.weight = weight;
    }

    boolean canRun(long now) {
        return switch (state) {
            case READY -> true;
            case WAITING -> awake || until <= now;
            case RESTING -> until <= now || over.getAsBoolean();
            case BLOCKED -> killed || until <= now || over.getAsBoolean();
            case ENDED -> false;
        };
    }

    void block(long until, BooleanSupplier over) {
        state = State.BLOCKED;
        this.until = until;
        this.over = over;
    }

    /** After a step of its role. */
    void stepped(Role.Step step, long now) {
        Rest asked = rest;
        rest = null;
        if (step == Role.Step.ENDED || killed) {
            state = State.ENDED;
        } else if (step == Role.Step.IDLE) {
            state = State.WAITING;
            until = now + role.idleNanosMax();
        } else if (asked != null) {
            state = State.RESTING;
            until = asked.until();
            over = asked.over();
        } else {
            state = State.READY;
        }
    }

    @Override
    public void wake() {
        awake = true;
    }

    @Override
    public boolean ended() {
        return state == State.ENDED;
    }

    @Override
    public boolean await(long nanos) {
        throw new UnsupportedOperationException("nobody waits for the end of a simulated thread");
    }
}
