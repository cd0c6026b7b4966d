package io.tidegate.simulation.source;

import io.tidegate.simulation.data.Cells;
import io.tidegate.simulation.data.Database;
import io.tidegate.simulation.data.LogChange;
import io.tidegate.simulation.data.LogRecord;
import io.tidegate.simulation.data.SimOrigin;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.data.SimRow;
import io.tidegate.simulation.data.Tables;
import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Change;
import io.tidegate.spi.Op;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes of what the log has: leaves out what a snapshot shows, and in catch-up completes moved rows that the target
 * may have nothing of.
 */
final class LogDecoder {

    private static final int BYTES = 20;
    private static final int LARGE_BYTES = 150;

    private final Stage stage;
    private final Database database;
    private final String split;
    private final LogRecord record;
    private long raised;

    LogDecoder(LogSource.World world, LogReader.Opening opening) {
        this.stage = world.stage();
        this.database = world.database();
        this.split = opening.id();
        this.record = opening.record();
        this.raised = opening.from().raised();
    }

    /** A position, with the end of catch-up as long as that lies beyond it. */
    SimPosition position(long at) {
        return new SimPosition(at, raised > at ? raised : 0);
    }

    /** Null: it is not ours to give, or a snapshot shows it. */
    @Nullable
    Change decode(LogChange change) {
        LogRecord.Entry table = record.table(change.table());
        if (table == null) {
            return null;
        }
        if (!table.catchUp() && change.commitAt() < table.h()) {
            stage.saw(change.op() == Op.TRUNCATE ? Seen.TRUNCATE_SKIPPED_BEFORE_H : Seen.CHANGE_SKIPPED_BEFORE_H);
            return null;
        }
        boolean catchUp = change.commitAt() < raised || (table.catchUp() && change.commitAt() < table.h());
        if (catchUp) {
            stage.saw(Seen.CHANGE_IN_CATCH_UP);
        }
        SimRow image = new SimRow(change.key(), change.number(), change.big(), false);
        if (catchUp && change.moves() && image.bigUnchanged()) {
            return moved(change);
        }
        return made(change, image, catchUp);
    }

    /** The target may have no row under the old key: so the row is read as it is now. */
    private Change moved(LogChange change) {
        Database.Found found = database.read(change.table(), change.key());
        if (found.at() > raised) {
            raised = found.at();
            stage.saw(Seen.END_OF_CATCH_UP_RAISED);
        }
        Cells cells = found.cells();
        if (cells == null) {
            stage.saw(Seen.MOVED_ROW_GONE);
            SimRow old = SimRow.key(change.oldKey());
            return new Change(Op.DELETE, Tables.schema(change.table()), old, null, origin(change, true), BYTES);
        }
        stage.saw(Seen.MOVED_ROW_READ);
        return made(change, new SimRow(change.key(), change.number(), cells.big(), false), true);
    }

    private Change made(LogChange change, SimRow image, boolean catchUp) {
        SimRow old = change.op() == Op.DELETE || change.moves() ? SimRow.key(change.oldKey()) : null;
        SimRow after = change.op() == Op.CREATE || change.op() == Op.UPDATE ? image : null;
        boolean large = stage.has(Feature.LARGE_ROWS) && change.number() % 7 == 0;
        return new Change(
                change.op(),
                Tables.schema(change.table()),
                old,
                after,
                origin(change, catchUp),
                large ? LARGE_BYTES : BYTES);
    }

    private SimOrigin origin(LogChange change, boolean catchUp) {
        return new SimOrigin(change.number(), split, change.commitAt(), 0, catchUp);
    }
}
