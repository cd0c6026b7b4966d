package io.tidegate.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.mutant.Replacement;
import io.tidegate.testkit.schedule.Schedules;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each scenario finds its broken hand-over. Takes minutes, and is run by name only: {@code docs/proof/schedules.md}. */
class BrokenHandOvers {

    private static final int SCHEDULES_MAX = 2_000;

    private static final String ENGINE = "engine/src/main/java/io/tidegate/engine/";

    /**
     * A hand-over broken on purpose.
     *
     * @param name what it does
     * @param scenario which must find it
     */
    record Broken(String name, Class<? extends Runnable> scenario, Replacement change) {

        @Override
        public String toString() {
            return name;
        }
    }

    @SuppressWarnings("StringConcatToTextBlock") // where a piece of the source begins and ends counts
    static List<Broken> all() {
        return List.of(
                new Broken(
                        "forgets a wake-up that comes during a step",
                        WakeUps.class,
                        in(
                                "env/RoleThread",
                                "Role.Step step = role.step();",
                                "Role.Step step = role.step();\nawake = false;")),
                new Broken(
                        "wakes the pipeline's thread before there is something to take",
                        WakeUps.class,
                        in(
                                "session/Mailbox",
                                "events.add(event);\n        wakePipeline.run();",
                                "wakePipeline.run();\n        events.add(event);")),
                new Broken(
                        "says that a role has ended before it has handed over all",
                        ReadBatches.class,
                        in(
                                "session/ReaderRole",
                                "put(new Finish());\n            return Step.ENDED;",
                                "mailbox.post(new SessionEvent.RoleEnded(this));\n            put(new Finish());\n"
                                        + "            return Step.ENDED;")),
                new Broken(
                        "counts the batches that the sink has waiting in two steps",
                        DryCuts.class,
                        in("session/ReaderRole", "waiting.decrementAndGet();", "waiting.set(waiting.get() - 1);")),
                new Broken(
                        "drops a newer record of a split that is being read",
                        Acknowledgements.OfReader.class,
                        in("session/ReaderRole", "due.compareAndSet(durable, null)", "due.getAndSet(null) != null")),
                new Broken(
                        "drops a newer record of a split that is not being read",
                        Acknowledgements.OfSource.class,
                        in(
                                "session/SourceRole",
                                "due.remove(entry.getKey(), progress)",
                                "due.remove(entry.getKey()) != null")),
                new Broken(
                        "aborts only what is open already",
                        BlockedReads.class,
                        in("session/SessionRole", "        unblocked = true;\n", "")),
                new Broken(
                        "takes a role back from its end",
                        ClosedAtItsEnd.class,
                        in(
                                "session/SessionRole",
                                "life.compareAndSet(Life.WORKING, Life.CLOSING);",
                                "if (life.get() == Life.WORKING) {\n            life.set(Life.CLOSING);\n        }")),
                new Broken(
                        "says that the sink has ended while something of it can still land",
                        LateReports.class,
                        in(
                                "session/SessionRole",
                                "quietly(System.Logger.Level.DEBUG, \"closing\", this::release);\n        life.set(Life.ENDED);\n"
                                        + "        mailbox.post(new SessionEvent.RoleEnded(this));",
                                "life.set(Life.ENDED);\n        mailbox.post(new SessionEvent.RoleEnded(this));\n"
                                        + "        quietly(System.Logger.Level.DEBUG, \"closing\", this::release);")),
                new Broken(
                        "remembers a batch only after the sink has it",
                        AsyncReports.class,
                        in(
                                "session/SinkRole",
                                "        accepted.add(next.batch());\n        inOrder.add(next);\n"
                                        + "        timed(\"accept\", () -> {\n            open.accept(next.batch());\n"
                                        + "            return open;\n        });",
                                "        timed(\"accept\", () -> {\n            open.accept(next.batch());\n"
                                        + "            return open;\n        });\n"
                                        + "        accepted.add(next.batch());\n        inOrder.add(next);")));
    }

    private static Replacement in(String file, String find, String put) {
        return new Replacement(ENGINE + file + ".java", find, put);
    }

    @ParameterizedTest
    @MethodSource("all")
    void aBrokenHandOverIsFound(Broken broken) throws IOException, ReflectiveOperationException {
        Runnable scenario = broken.scenario().getDeclaredConstructor().newInstance();
        assertThat(Schedules.failure(broken.change(), scenario, SCHEDULES_MAX))
                .as("what was found of a hand-over that %s", broken)
                .isNotNull();
    }
}
