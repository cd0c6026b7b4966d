package io.tidegate.simulation.stage;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.PipelineOptions.RejectPolicy;
import io.tidegate.testkit.property.Choices;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What one run is made of, drawn from its seed: each run leaves some faults and features out, so that the ones that are
 * left meet each other more often. Immutable.
 *
 * @param faultOneIn how often a chance for a fault is taken
 * @param strikesMax faults of a run
 * @param transactions that the application commits while there are faults
 * @param pauseMillisMax between two transactions
 * @param lives after so many the process is not ended any more
 */
public record Swarm(
        long seed,
        Upstream upstream,
        Target target,
        Set<Feature> features,
        Set<Fault> faults,
        int faultOneIn,
        int strikesMax,
        int transactions,
        int pauseMillisMax,
        int lives,
        PipelineOptions options) {

    /** Where the changes come from. */
    public enum Upstream {
        /** Tables, snapshots in chunks, and one log behind them. */
        LOG,
        /** Shards with a lineage. */
        SHARDS
    }

    /** Where they go. */
    public enum Target {
        /** Rows by key; what was delivered before is left out by its ordinal, and a dead session is fenced off. */
        UPSERT_FENCED,
        /** Rows by key, with neither. */
        UPSERT_PLAIN,
        /** Every change; what was delivered before is left out by its ordinal, and a dead session is fenced off. */
        APPEND_FENCED,
        /** Every change, with neither. */
        APPEND_PLAIN,
        /** The file sink, on the simulated disk. */
        FILES;

        public boolean fenced() {
            return this == UPSERT_FENCED || this == APPEND_FENCED;
        }

        public boolean upsert() {
            return this == UPSERT_FENCED || this == UPSERT_PLAIN;
        }
    }

    private static final List<Integer> ODDS = List.of(60, 25, 150, 12);

    /** Draws it. */
    public static Swarm of(long seed, Choices choices) {
        Upstream upstream = choices.below(4) == 0 ? Upstream.SHARDS : Upstream.LOG;
        Target target = choices.pick(List.of(Target.values()));
        Set<Feature> features = some(Feature.class, choices, 3);
        Set<Fault> faults = some(Fault.class, choices, choices.between(1, 4));
        if (target == Target.UPSERT_PLAIN) {
            // Such a target cannot tell a repeated move from a new one, so it has to be given whole rows.
            features.remove(Feature.UNCHANGED_COLUMNS);
        }
        return new Swarm(
                seed,
                upstream,
                target,
                features,
                faults,
                choices.pick(ODDS),
                choices.between(1, 60),
                choices.between(3, 40),
                choices.pick(List.of(30, 5, 150, 400)),
                choices.between(1, 7),
                options(choices));
    }

    /** Most of them: each is left out by a choice of its own. */
    private static <E extends Enum<E>> Set<E> some(Class<E> kind, Choices choices, int leftOutOneIn) {
        Set<E> some = EnumSet.noneOf(kind);
        for (E each : kind.getEnumConstants()) {
            if (choices.below(leftOutOneIn + 1) != 0) {
                some.add(each);
            }
        }
        return some;
    }

    private static PipelineOptions options(Choices choices) {
        Duration retry = Duration.ofMillis(choices.pick(List.of(20, 5, 200)));
        return new PipelineOptions(
                choices.between(1, 6),
                choices.pick(List.of(1L << 20, 60L, 200L)),
                choices.between(1, 6),
                choices.pick(List.of(1L << 20, 60L, 300L)),
                Duration.ofMillis(choices.pick(List.of(20, 0, 300))),
                choices.pick(List.of(1_000, 1, 5)),
                choices.below(3) == 0 ? RejectPolicy.HALT : RejectPolicy.RETRY,
                retry,
                retry.multipliedBy(8),
                Duration.ofMillis(choices.pick(List.of(2_000, 200, 8_000))));
    }

    /** The same with less in it. */
    public Swarm without(Cut cut) {
        Set<Feature> fewerFeatures = EnumSet.noneOf(Feature.class);
        fewerFeatures.addAll(features);
        fewerFeatures.removeAll(cut.features());
        Set<Fault> fewerFaults = EnumSet.noneOf(Fault.class);
        fewerFaults.addAll(faults);
        fewerFaults.removeAll(cut.faults());
        return new Swarm(
                seed,
                upstream,
                target,
                fewerFeatures,
                fewerFaults,
                faultOneIn,
                strikesMax,
                Math.min(transactions, cut.transactionsMax()),
                pauseMillisMax,
                lives,
                options);
    }

    public boolean has(Feature feature) {
        return features.contains(feature);
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + upstream + " to " + target + ", rejects " + options.rejects() + ", "
                + transactions + " transactions\n  features " + features + "\n  faults one in " + faultOneIn + " of "
                + faults + "\n  " + options;
    }
}
