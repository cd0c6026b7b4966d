package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.GateLimits;
import io.tidegate.testkit.explore.Script.Found;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The small configurations that are explored. Each has all faults. */
final class Configurations {

    /** Writes after each settled change. */
    private static final GateLimits EAGER = new GateLimits(3, 99, 1, 1, 0, 1, 2, 3);
    /** Writes after two settled changes, or after two ticks; a tick after the write before at the earliest. */
    private static final GateLimits LAZY = new GateLimits(3, 99, 2, 2, 1, 1, 2, 4);
    /** Two batches in flight, and no more than two bytes. */
    private static final GateLimits NARROW = new GateLimits(2, 2, 1, 1, 0, 1, 2, 3);

    private static final Map<String, Configuration> ALL = new LinkedHashMap<>();

    private Configurations() {}

    static List<Configuration> all() {
        return List.copyOf(ALL.values());
    }

    static Configuration named(String name) {
        Configuration configuration = ALL.get(name);
        if (configuration == null) {
            throw new IllegalArgumentException("no configuration " + name + ", there are " + ALL.keySet());
        }
        return configuration;
    }

    static {
        add("log", EAGER, Script.log("L", "crcmc"));
        add("idle", LAZY, Script.log("L", "rcm"));
        add("narrow", NARROW, Script.log("L", "rrcmc"));
        add("steps", EAGER, Set.of(Trait.TWO_STEPS), Script.log("L", "ccm"));
        add("steps-log", EAGER, Set.of(Trait.TWO_STEPS), Script.log("L", "rcmc"));
        add("steps-chunk-log", EAGER, Set.of(Trait.TWO_STEPS), Script.chunk("A", "c"), Script.log("L", "cmc", "A"));
        add(
                "steps-two-chunks-log",
                LAZY,
                Set.of(Trait.TWO_STEPS),
                Script.chunk("A", "c"),
                Script.chunk("B", "c"),
                Script.log("L", "cm", "A", "B"));
        add(
                "steps-shards",
                EAGER,
                Set.of(Trait.TWO_STEPS),
                Script.chunk("P", "c"),
                Script.chunk("C", "cm", "P").found(Found.WHILE_READING),
                Script.chunk("D", "c", "P").found(Found.WHILE_READING));
        add(
                "three-chunks-log",
                EAGER,
                Script.chunk("A", "c"),
                Script.chunk("B", "c", "A"),
                Script.chunk("C", "c"),
                Script.log("L", "cm", "B", "C"));
        add("chunk-log", EAGER, Script.chunk("A", "cc"), Script.log("L", "rcmc", "A"));
        add("chunk-log-lazy", LAZY, Script.chunk("A", "cc"), Script.log("L", "rcmc", "A"));
        add("two-chunks-log", EAGER, Script.chunk("A", "c"), Script.chunk("B", "c"), Script.log("L", "cmc", "A", "B"));
        add(
                "shards",
                EAGER,
                Script.chunk("P", "cc"),
                Script.chunk("C", "cmc", "P").found(Found.WHILE_READING));
        add(
                "log-from",
                EAGER,
                Script.chunk("A", "c"),
                Script.log("L", "rccmc", "A").from(2));
        add(
                "log-chain",
                EAGER,
                Script.chunk("K", "cm"),
                Script.chunk("A", "c", "K").found(Found.WHILE_READING),
                Script.log("L", "cmcm", "A").from(2).found(Found.WHILE_READING));
        add(
                "replan",
                EAGER,
                Set.of(Trait.PREPARED),
                Script.chunk("A", "cc"),
                Script.log("L", "c", "A"),
                Script.chunk("B", "c").found(Found.BY_REPLAN),
                Script.log("M", "cm", "B").found(Found.BY_REPLAN));
    }

    private static void add(String name, GateLimits limits, Script... scripts) {
        add(name, limits, Set.of(), scripts);
    }

    private static void add(String name, GateLimits limits, Set<Trait> more, Script... scripts) {
        EnumSet<Trait> traits =
                EnumSet.of(Trait.DEAD_SESSIONS_SPEAK, Trait.CRASHES, Trait.STOPS, Trait.FAILURES, Trait.STORE_FAILURES);
        traits.addAll(more);
        ALL.put(name, new Configuration(name, limits, traits, 2, List.of(scripts)));
    }
}
