package io.tidegate.simulation.sink;

import io.tidegate.simulation.data.SimOrigin;
import io.tidegate.simulation.data.SimRow;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Op;
import io.tidegate.spi.RejectedException;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * One session of the sink. A flush is one request; what was accepted before it is durable when it has landed. A session of a
 * target without a fence closes only when each of its requests has landed or is lost.
 */
final class TargetSession implements SinkSession {

    private static final long LATE_NANOS_MAX = 400_000_000L;
    private static final long HANG_NANOS_MAX = 4_000_000_000L;
    private static final long ANSWER_NANOS_MAX = 150_000_000L;
    private static final int LONG_HANG_ONE_IN = 4;
    private static final int LONG_HANG_TIMES = 20;
    private static final int REFUSALS_MAX = 20;

    private final Stage stage;
    private final TargetDatabase target;
    private final Life process;
    private final SinkContext context;
    private final TargetSink.Refusals refusals;
    private final int number;
    private final List<Batch> accepted = new ArrayList<>();
    private final Answers answers;
    private final List<Request> unanswered = new ArrayList<>();
    private final Bounds bounds;
    private boolean aborted;
    private boolean failed;

    TargetSession(Stage stage, TargetDatabase target, Life process, SinkContext context, TargetSink.Refusals refusals) {
        this.stage = stage;
        this.target = target;
        this.process = process;
        this.context = context;
        this.refusals = refusals;
        this.number = target.open();
        this.answers = new Answers(stage, process);
        this.bounds = new Bounds(stage, target.held());
    }

    @Override
    public void accept(Batch batch) {
        process.pass("accept");
        stage.check(!failed, "I8", () -> "a session of the sink goes on after it failed");
        if (!stage.has(Feature.REFUSES_IN_FLUSH)) {
            judge(batch);
        }
        bounds.accepted(batch);
        accepted.add(batch);
    }

    private void judge(Batch batch) {
        for (int i = 0; i < batch.changes().size(); i++) {
            Change change = batch.changes().get(i);
            if (change.op() == Op.TRUNCATE) {
                continue;
            }
            String name = name(change);
            if (stage.faults().strikes(Fault.SINK_REJECTS)) {
                refusals.begin(name, (int) stage.faults().between(1, REFUSALS_MAX));
            }
            if (!stage.faults().isOff() && refusals.refuses(name)) {
                stage.say(() -> "the target refuses " + name);
                throw new RejectedException(batch, i, "it is refused");
            }
            if (refusals.take(name)) {
                stage.saw(Seen.REFUSED_AND_TAKEN);
            }
        }
    }

    private static String name(Change change) {
        SimOrigin origin = (SimOrigin) change.origin();
        return origin.number() > 0
                ? "change " + origin.number()
                : "row " + ((SimRow) Objects.requireNonNull(change.after())).key() + " of " + origin.split();
    }

    @Override
    public void flush() {
        process.pass("flush");
        if (stage.has(Feature.REFUSES_IN_FLUSH)) {
            judgeAll();
        }
        if (accepted.isEmpty()) {
            return;
        }
        Request request = new Request(number, accepted);
        accepted.clear();
        unanswered.add(request);
        target.began(request);
        if (stage.faults().strikes(Fault.SINK_FAILS_BEFORE_WRITE)) {
            request.lose();
            throw fail("before the write");
        }
        boolean silent = stage.faults().strikes(Fault.SINK_NEVER_ANSWERS);
        if (silent || stage.has(Feature.ASYNC_SINK)) {
            long nanos = silent ? HANG_NANOS_MAX : 1 + stage.luck().below((int) ANSWER_NANOS_MAX);
            answers.later(nanos, () -> answer(request));
            return;
        }
        if (stage.faults().strikes(Fault.SINK_HANGS)) {
            await(request, hang());
        } else if (stage.faults().strikes(Fault.SINK_LATE)) {
            process.await(stage.faults().between(1, LATE_NANOS_MAX), () -> false);
        }
        while (!request.equals(unanswered.get(0))) { // what was sent before it is answered before it
            await(request, HANG_NANOS_MAX);
        }
        write(request);
    }

    private void write(Request request) {
        process.pass("flush, before the commit");
        if (!target.land(request)) {
            throw fail("it was fenced off");
        }
        process.pass("flush, after the commit");
        if (stage.faults().strikes(Fault.SINK_FAILS_AFTER_WRITE)) {
            throw fail("after the write");
        }
        report(request);
    }

    /** Batches before a refused one stay accepted, those from it on do not. */
    private void judgeAll() {
        for (Batch batch : accepted) {
            try {
                judge(batch);
            } catch (RejectedException e) {
                int from = accepted.indexOf(batch);
                accepted.subList(from, accepted.size()).forEach(bounds::gone);
                accepted.subList(from, accepted.size()).clear();
                throw e;
            }
        }
    }

    private long hang() {
        return stage.faults().between(1, HANG_NANOS_MAX)
                * (stage.luck().below(LONG_HANG_ONE_IN) == 0 ? LONG_HANG_TIMES : 1);
    }

    /** The call hangs; an abort closes the connection, and what became of the request is not known. */
    private void await(Request request, long nanos) {
        process.await(nanos, () -> aborted || (stage.faults().isOff() && request.equals(unanswered.get(0))));
        if (aborted) {
            throw fail("the connection was closed"); // what became of the request is decided at the close
        }
    }

    /** The answer to a request that the caller does not wait for; they come in the order of the requests. */
    private void answer(Request request) {
        request.answer();
        while (!failed && !unanswered.isEmpty() && unanswered.get(0).answered()) {
            Request first = unanswered.get(0);
            if (!first.open() || !target.land(first)) {
                unanswered.remove(0);
            } else {
                report(first);
            }
        }
    }

    private void report(Request request) {
        unanswered.remove(request);
        for (Batch batch : request.batches) {
            bounds.durable(batch);
            context.durable(batch);
        }
    }

    private TidegateException fail(String why) {
        failed = true;
        return new TidegateException(ErrorCode.SINK_FAILED, "the sink fails: " + why);
    }

    @Override
    public void tend() {
        process.pass("sink tend");
    }

    @Override
    public void abort() {
        aborted = true;
    }

    /**
     * A fenced target needs to wait for nothing. Another one waits for each request, which may land until then.
     */
    @Override
    public void close() {
        failed = true;
        boolean arrives = true;
        for (Request request : unanswered) {
            arrives = arrives && stage.faults().strikes(Fault.SINK_LANDS_LATE, 2);
            if (arrives) {
                target.letDrift(request);
            } else {
                request.lose();
            }
        }
        if (!target.fenced() && unanswered.stream().anyMatch(Request::open)) {
            process.await(Long.MAX_VALUE, () -> unanswered.stream().noneMatch(Request::open));
        }
    }
}
