package io.tidegate.simulation.check;

import io.tidegate.simulation.data.SimOrigin;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Change;
import io.tidegate.spi.Op;
import io.tidegate.spi.SplitState;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges what lands at the target: its order, and that no more is delivered again than may be. Each session of the sink
 * begins with what was durable then.
 */
public final class Arrivals {

    private final Stage stage;
    private final Checks checks;
    private final Map<Integer, Arriving> sessions = new HashMap<>();
    private int opened;
    private int newestThatLanded;

    /** A session: where each split began, and its last change. */
    private record Arriving(Map<String, Long> base, Map<String, Long> last) {}

    public Arrivals(Stage stage, Checks checks) {
        this.stage = stage;
        this.checks = checks;
    }

    public Held held() {
        return checks.held();
    }

    /** A session of the sink opens. Returns its number. */
    public int opens() {
        stage.saw(Seen.SESSION_BEGAN);
        Map<String, Long> base = new HashMap<>();
        for (SplitState split : checks.durable().splits()) {
            if (split.progress().position() instanceof SimPosition position) {
                base.put(split.plan().id(), position.at());
            }
        }
        sessions.put(++opened, new Arriving(base, new HashMap<>()));
        return opened;
    }

    /** A change is at the target. */
    public void landed(int session, Change change, int key) {
        stage.check(
                session >= newestThatLanded,
                "I4",
                () -> "a batch of session " + session + " lands behind one of session " + newestThatLanded);
        newestThatLanded = session;
        SimOrigin origin = (SimOrigin) change.origin();
        if (origin.number() == 0) {
            checks.ledger().landRow(origin.split(), change.op() == Op.TRUNCATE ? Ledger.EMPTIED : key);
            return;
        }
        inOrder(session, origin);
        if (checks.ledger().land(origin.number()) > 1) {
            stage.saw(Seen.DUPLICATE_DELIVERED);
        }
    }

    /** The target leaves a change out because it says that it has it. */
    public void leftOut(int session, Change change) {
        SimOrigin origin = (SimOrigin) change.origin();
        stage.check(
                checks.ledger().landed(origin.number()) > 0 || !checks.requires(origin.number()),
                "I3",
                () -> "change " + origin.number() + " is left out, and the target never had it");
        inOrder(session, origin);
        stage.saw(Seen.DUPLICATE_SKIPPED);
    }

    private void inOrder(int session, SimOrigin origin) {
        Arriving arriving = sessions.get(session);
        if (arriving == null) {
            throw stage.violate("I2", "a session that was never opened delivers");
        }
        @Nullable Long before = arriving.last().put(origin.split(), origin.number());
        stage.check(
                before == null || before < origin.number(),
                "I4",
                () -> "change " + origin.number() + " lands behind " + before + " in session " + session);
        long base = arriving.base().getOrDefault(origin.split(), 0L);
        stage.check(
                origin.at() >= base,
                "D",
                () -> "change " + origin.number() + " at " + origin.at()
                        + " is delivered again, and the session began at " + base);
    }
}
