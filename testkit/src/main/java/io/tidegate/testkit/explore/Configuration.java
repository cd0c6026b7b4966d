package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.GateLimits;
import io.tidegate.spi.SplitPlan;
import io.tidegate.testkit.explore.Script.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What a world is made of: the scripts of its splits, the gate's limits, and what can go wrong. Immutable. */
final class Configuration {

    final String name;
    final List<Script> scripts;
    final GateLimits limits;
    final Set<Trait> traits;
    final int changesPerBatch;

    /** For each script, the scripts before it. */
    final int[][] before;

    final List<SplitPlan> birth;
    final List<SplitPlan> later;
    final List<SplitPlan> replan;

    Configuration(String name, GateLimits limits, Set<Trait> traits, int changesPerBatch, List<Script> scripts) {
        this.name = name;
        this.limits = limits;
        this.traits = Set.copyOf(traits);
        this.changesPerBatch = changesPerBatch;
        this.scripts = List.copyOf(scripts);
        before = new int[scripts.size()][];
        for (int i = 0; i < before.length; i++) {
            before[i] = script(i).plan().after().stream().mapToInt(this::index).toArray();
        }
        birth = plans(Found.AT_BIRTH);
        later = plans(Found.WHILE_READING);
        replan = plans(Found.BY_REPLAN);
    }

    int size() {
        return before.length;
    }

    Script script(int index) {
        return scripts.get(index);
    }

    int index(String id) {
        for (int i = 0; i < scripts.size(); i++) {
            if (script(i).id().equals(id)) {
                return i;
            }
        }
        throw new IllegalArgumentException("no script " + id);
    }

    boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /** Whether one split comes after another, at any distance. */
    boolean follows(int split, int other) {
        for (int parent : before[split]) {
            if (parent == other || follows(parent, other)) {
                return true;
            }
        }
        return false;
    }

    private List<SplitPlan> plans(Found how) {
        List<SplitPlan> plans = new ArrayList<>();
        for (Script script : scripts) {
            if (script.found() == how) {
                plans.add(script.plan());
            }
        }
        return List.copyOf(plans);
    }
}
