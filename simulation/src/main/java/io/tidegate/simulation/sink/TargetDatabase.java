package io.tidegate.simulation.sink;

import io.tidegate.simulation.check.Arrivals;
import io.tidegate.simulation.check.Held;
import io.tidegate.simulation.data.Cells;
import io.tidegate.simulation.data.SimOrigin;
import io.tidegate.simulation.data.SimRow;
import io.tidegate.simulation.data.Tables;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the sink writes into. One request is one transaction. A fenced target keeps the ordinal of the last change of each
 * lineage in the same transaction, and takes nothing of a session that is not the newest.
 */
public final class TargetDatabase {

    private final Stage stage;
    private final Arrivals arrivals;
    private final boolean fenced;
    private final boolean upsert;
    private final List<NavigableMap<Integer, Cells>> tables = new ArrayList<>();
    private final List<Change> log = new ArrayList<>();
    private final Map<String, byte[]> ordinals = new HashMap<>();
    /** Requests that nobody waits for any more, and that may still land. */
    private final List<Request> adrift = new ArrayList<>();

    private final List<Request> underWay = new ArrayList<>();

    private int epoch;

    public TargetDatabase(Stage stage, Arrivals arrivals) {
        this.stage = stage;
        this.arrivals = arrivals;
        this.fenced = stage.swarm().target().fenced();
        this.upsert = stage.swarm().target().upsert();
        for (int i = 0; i < Tables.COUNT; i++) {
            tables.add(new TreeMap<>());
        }
    }

    public NavigableMap<Integer, Cells> rows(int table) {
        return tables.get(table);
    }

    /** Every change that was appended, in order. */
    public List<Change> log() {
        return log;
    }

    Held held() {
        return arrivals.held();
    }

    boolean fenced() {
        return fenced;
    }

    /** A session takes over. Returns its number. */
    int open() {
        epoch = arrivals.opens();
        return epoch;
    }

    /** A request is under way. */
    void began(Request request) {
        underWay.removeIf(each -> !each.open());
        underWay.add(request);
    }

    /**
     * The process is dead. What it sent lands later, lands now, or is lost; for a target without a fence nothing lands once
     * another process is there.
     */
    public void senderDied() {
        boolean arrives = true;
        for (Request request : List.copyOf(underWay)) {
            arrives = arrives && stage.luck().flip();
            if (!arrives || !request.open()) {
                request.lose();
            } else if (fenced) {
                letDrift(request);
            } else {
                land(request);
            }
        }
        if (!fenced) {
            adrift.forEach(Request::lose);
        }
        underWay.clear();
    }

    /** Nobody waits for the answer any more. */
    void letDrift(Request request) {
        if (request.open()) {
            adrift.add(request);
        }
    }

    /**
     * The oldest of the requests that nobody waits for lands, or is lost, and with it those that the same session sent behind
     * it. Returns whether there was one.
     */
    public boolean settleOneAdrift(boolean lands) {
        if (adrift.isEmpty()) {
            return false;
        }
        Request request = adrift.remove(0);
        if (!lands) {
            request.lose();
            adrift.stream().filter(each -> each.session == request.session).forEach(Request::lose);
        } else if (request.open() && land(request)) {
            stage.saw(Seen.LANDED_LATE);
            stage.say(() -> "a request of session " + request.session + " lands, and nobody waits for it");
        }
        return true;
    }

    /** The transaction is committed. False: it was fenced off, and left nothing. */
    boolean land(Request request) {
        if (fenced && request.session != epoch) {
            stage.saw(Seen.FENCED_OFF);
            request.lose();
            return false;
        }
        request.land();
        stage.say(() -> "lands " + describe(request));
        for (Batch batch : request.batches) {
            for (Change change : batch.changes()) {
                land(request.session, batch.lineage(), change);
            }
        }
        if (upsert) {
            checkWhole();
        }
        return true;
    }

    /** No row has a column without a value: the source has none that allows it. */
    private void checkWhole() {
        for (NavigableMap<Integer, Cells> rows : tables) {
            for (Cells cells : rows.values()) {
                stage.check(cells.big() > 0, "I16", () -> "the target has a part of a row: " + cells);
            }
        }
    }

    private static String describe(Request request) {
        StringBuilder text = new StringBuilder("of session " + request.session + ":");
        for (Batch batch : request.batches) {
            for (Change change : batch.changes()) {
                SimOrigin origin = (SimOrigin) change.origin();
                text.append(' ')
                        .append(change.op().code())
                        .append(origin.number() == 0 ? origin.split() : origin.number());
            }
        }
        return text.toString();
    }

    private void land(int session, String lineage, Change change) {
        byte[] ordinal = change.origin().ordinal();
        if (fenced && ordinal.length > 0) {
            byte[] last = ordinals.get(lineage);
            if (last != null && Arrays.compareUnsigned(ordinal, last) <= 0) {
                arrivals.leftOut(session, change);
                return;
            }
            ordinals.put(lineage, ordinal);
        }
        if (upsert) {
            write(change);
        } else {
            log.add(change);
        }
        SimRow key = (SimRow) change.keyRow();
        arrivals.landed(session, change, key == null ? -1 : key.key());
    }

    private void write(Change change) {
        NavigableMap<Integer, Cells> rows = tables.get(Tables.number(change.table()));
        SimRow before = (SimRow) change.before();
        SimRow after = (SimRow) change.after();
        switch (change.op()) {
            case TRUNCATE -> rows.clear();
            case DELETE -> rows.remove(Objects.requireNonNull(before).key());
            case CREATE, READ, UPDATE -> put(rows, change, Objects.requireNonNull(after));
            case MESSAGE -> throw stage.violate("sink", "a message is no row");
        }
    }

    private void put(NavigableMap<Integer, Cells> rows, Change change, SimRow after) {
        SimRow before = (SimRow) change.before();
        int from = before == null ? after.key() : before.key();
        @Nullable Cells old = from == after.key() ? rows.get(from) : rows.remove(from);
        if (!after.bigUnchanged()) {
            rows.put(after.key(), new Cells(after.value(), after.big(), 0));
        } else if (old != null) {
            rows.put(after.key(), new Cells(after.value(), old.big(), 0));
        } else {
            missing(change);
        }
    }

    /** An update of a row that is not there: in catch-up there is nothing to do, else the row was lost. */
    private void missing(Change change) {
        stage.check(
                change.origin().catchUp(),
                "I3",
                () -> "the target lacks the row that change " + change.origin().position() + " updates");
        stage.saw(Seen.NOTHING_TO_DO);
    }
}
