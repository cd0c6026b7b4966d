package io.tidegate.engine.store;

import io.tidegate.spi.Check;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints and writes as JSON: the payload of a state file's records, and the document of {@code state export}. The
 * members come in a fixed order; an unknown, missing or displaced one is refused. Pure.
 */
public final class StateText {

    /** What is written; every format so far is read. Format 1 has no lineages. */
    static final long FORMAT = 2;

    private static final long FORMAT_BEFORE_LINEAGE = 1;

    private static final String WHOLE = "whole";
    private static final String REPLAN = "replan";
    private static final String PROGRESS = "progress";

    private final Positions positions;
    private final long format;

    /**
     * Writes the newest format.
     *
     * @param format of what is read
     * @throws IllegalArgumentException if the format is not known
     */
    StateText(Positions positions, long format) {
        if (format < FORMAT_BEFORE_LINEAGE || format > FORMAT) {
            throw new IllegalArgumentException(
                    "format " + format + " is not known, only " + FORMAT_BEFORE_LINEAGE + " to " + FORMAT);
        }
        this.positions = positions;
        this.format = format;
    }

    /** The checkpoint as a document for people and for {@link #parse}: one split a line. */
    public static String export(String pipeline, Checkpoint checkpoint, Positions positions) {
        JsonWriter out = new JsonWriter().beginObject();
        out.line().name("tidegate_state").number(FORMAT);
        out.line().name("pipeline").string(pipeline).line();
        new StateText(positions, FORMAT).checkpoint(out, checkpoint, JsonWriter::line);
        return out.endObject() + "\n";
    }

    /**
     * Reads what {@link #export} gave, maybe changed by people, and checks it as a state file is checked.
     *
     * @throws TidegateException {@link ErrorCode#STATE_DAMAGED} if it is anything else, or of another pipeline;
     *     {@link ErrorCode#STATE_NEWER} if a later version exported it
     */
    public static Checkpoint parse(String text, String pipeline, Positions positions) {
        try {
            JsonReader in = new JsonReader(text);
            in.beginObject();
            in.name("tidegate_state");
            long format = in.number();
            if (format > FORMAT) {
                throw new TidegateException(
                        ErrorCode.STATE_NEWER,
                        "The document was exported by a later version of Tidegate: its format " + format
                                + " is not known, only those up to " + FORMAT + ".");
            }
            StateText known = new StateText(positions, format);
            in.name("pipeline");
            String named = in.string();
            if (!named.equals(pipeline)) {
                throw new IllegalArgumentException("it is the state of pipeline \"" + named + '"');
            }
            Checkpoint checkpoint = known.checkpoint(in);
            in.endObject();
            in.end();
            return CheckpointBuilder.apply(Checkpoint.EMPTY, new StateWrite.Whole(checkpoint), positions);
        } catch (IllegalArgumentException | TidegateException e) {
            if (e instanceof TidegateException refused && refused.code() == ErrorCode.STATE_NEWER) {
                throw refused;
            }
            throw new TidegateException(
                    ErrorCode.STATE_DAMAGED,
                    "The document is not a state of pipeline \"" + pipeline + "\" that can be used: " + e.getMessage()
                            + ".",
                    "Use what 'tidegate state export' printed, with the members in the order in which it printed them.",
                    e);
        }
    }

    String print(StateWrite write) {
        JsonWriter out = new JsonWriter().beginObject().name("type");
        if (write instanceof StateWrite.Whole whole) {
            out.string(WHOLE);
            checkpoint(out, whole.checkpoint(), sameLine -> {});
        } else if (write instanceof StateWrite.Replanned replanned) {
            out.string(REPLAN);
            source(out, replanned.replan().source());
            out.name("forget");
            strings(out, new TreeSet<>(replanned.replan().forget()));
            plans(out, "add", replanned.replan().add());
        } else {
            StateWrite.Progressed progressed = (StateWrite.Progressed) write;
            out.string(PROGRESS);
            plans(out, "planned", progressed.planned());
            out.name("progress").beginArray();
            for (SplitProgress progress : progressed.progress()) {
                out.beginObject().name("id").string(progress.id());
                progress(out, progress);
                out.endObject();
            }
            out.endArray();
        }
        return out.endObject().toString();
    }

    /**
     * The write that a text stands for.
     *
     * @throws IllegalArgumentException if the text is nothing that {@link #print} gives
     */
    StateWrite parse(String text) {
        JsonReader in = new JsonReader(text);
        in.beginObject();
        in.name("type");
        String type = in.string();
        StateWrite write = switch (type) {
            case WHOLE -> new StateWrite.Whole(checkpoint(in));
            case REPLAN -> new StateWrite.Replanned(replan(in));
            case PROGRESS ->
                new StateWrite.Progressed(plans(in, "planned"), objects(in, "progress", () -> progress(in)));
            default -> throw new IllegalArgumentException("a record of type \"" + type + "\" is not known");
        };
        in.endObject();
        in.end();
        return write;
    }

    private void checkpoint(JsonWriter out, Checkpoint checkpoint, Consumer<JsonWriter> newLine) {
        source(out, checkpoint.source());
        newLine.accept(out);
        out.name("splits").beginArray();
        for (SplitState split : checkpoint.splits()) {
            newLine.accept(out);
            out.beginObject();
            plan(out, split.plan());
            progress(out, split.progress());
            out.endObject();
        }
        out.endArray();
    }

    private Checkpoint checkpoint(JsonReader in) {
        SourceRecord source = source(in);
        return new Checkpoint(source, objects(in, "splits", () -> {
            SplitPlan plan = plan(in);
            return new SplitState(plan, progress(in, plan.id()));
        }));
    }

    private Replan replan(JsonReader in) {
        SourceRecord source = source(in);
        Set<String> forget = new HashSet<>(strings(in, "forget"));
        return new Replan(source, forget, plans(in, "add"));
    }

    private static void source(JsonWriter out, SourceRecord source) {
        out.name("source").beginObject();
        for (Map.Entry<String, String> entry : source.entries().entrySet()) {
            out.name(entry.getKey()).string(entry.getValue());
        }
        out.endObject();
    }

    private static SourceRecord source(JsonReader in) {
        SortedMap<String, String> entries = new TreeMap<>();
        in.name("source");
        in.beginObject();
        while (in.more('}')) {
            String name = in.name();
            if (entries.put(name, in.string()) != null) {
                throw new IllegalArgumentException("\"" + name + "\" is there twice");
            }
        }
        return new SourceRecord(entries);
    }

    private void plans(JsonWriter out, String name, List<SplitPlan> plans) {
        out.name(name).beginArray();
        for (SplitPlan plan : plans) {
            out.beginObject();
            plan(out, plan);
            out.endObject();
        }
        out.endArray();
    }

    private List<SplitPlan> plans(JsonReader in, String name) {
        return objects(in, name, () -> plan(in));
    }

    private void plan(JsonWriter out, SplitPlan plan) {
        out.name("id").string(plan.id());
        out.name("after");
        strings(out, plan.after());
        out.name("start").string(position(plan.start()));
        out.name("spec").string(plan.spec());
        out.name("lineage").string(plan.lineage());
    }

    private SplitPlan plan(JsonReader in) {
        in.name("id");
        String id = in.string();
        List<String> after = strings(in, "after");
        in.name("start");
        @Nullable Position start = position(in.stringOrNull());
        in.name("spec");
        String spec = in.string();
        if (format == FORMAT_BEFORE_LINEAGE) {
            return new SplitPlan(id, after, start, spec);
        }
        in.name("lineage");
        return new SplitPlan(id, after, start, spec, in.string());
    }

    private void progress(JsonWriter out, SplitProgress progress) {
        out.name("position").string(position(progress.position()));
        out.name("done").bool(progress.done());
    }

    private SplitProgress progress(JsonReader in) {
        in.name("id");
        return progress(in, in.string());
    }

    private SplitProgress progress(JsonReader in, String id) {
        in.name("position");
        @Nullable Position position = position(in.stringOrNull());
        in.name("done");
        return new SplitProgress(id, position, in.bool());
    }

    private @Nullable String position(@Nullable Position position) {
        if (position == null) {
            return null;
        }
        String text = positions.print(position);
        Check.invariant(positions.parse(text).equals(position), "the position " + text + " is not what its text says");
        return text;
    }

    private @Nullable Position position(@Nullable String text) {
        return text == null ? null : positions.parse(text);
    }

    private static void strings(JsonWriter out, Iterable<String> values) {
        out.beginArray();
        values.forEach(out::string);
        out.endArray();
    }

    private static <T> List<T> objects(JsonReader in, String name, Supplier<T> members) {
        List<T> elements = new ArrayList<>();
        in.name(name);
        in.beginArray();
        while (in.more(']')) {
            in.beginObject();
            elements.add(members.get());
            in.endObject();
        }
        return elements;
    }

    private static List<String> strings(JsonReader in, String name) {
        List<String> elements = new ArrayList<>();
        in.name(name);
        in.beginArray();
        while (in.more(']')) {
            elements.add(in.string());
        }
        return elements;
    }
}
