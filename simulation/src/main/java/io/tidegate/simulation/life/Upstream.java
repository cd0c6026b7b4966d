package io.tidegate.simulation.life;

import io.tidegate.simulation.check.Checks;
import io.tidegate.simulation.check.Ledger;
import io.tidegate.simulation.check.Lines;
import io.tidegate.simulation.check.Required;
import io.tidegate.simulation.sink.TargetDatabase;
import io.tidegate.simulation.stage.Life;
import io.tidegate.spi.Source;

/** Where the changes of a run come from, with the application that makes them and what they must amount to. */
interface Upstream {

    Required required(Ledger ledger);

    Source source(Checks checks, Life process);

    /** The application writes once. */
    void write();

    /** Somebody changes what is captured, if that can be. */
    void reconfigure();

    /** What is not delivered, persisted or acknowledged yet; empty if nothing. */
    String behind(Checks checks);

    /** The rows of the target are those of the source. */
    void compareRows(Checks checks, TargetDatabase target);

    /** The lines hold each change that they must, and amount to the rows of the source. */
    void compareLines(Checks checks, Lines lines);
}
