package io.tidegate.simulation;

import java.util.List;
import java.util.stream.Stream;

/** The rules of the engine around its core, of the file sink, and of sources and targets as simulated, each broken once. */
@SuppressWarnings("StringConcatToTextBlock") // the line breaks are a part of what is replaced
final class Mutants {

    private static final String ENGINE = "engine/src/main/java/io/tidegate/engine/";
    private static final String SESSION = ENGINE + "session/Session.java";
    private static final String PARTS = ENGINE + "session/SessionParts.java";
    private static final String READERS = ENGINE + "session/Readers.java";
    private static final String READER = ENGINE + "session/ReaderRole.java";
    private static final String SINK = ENGINE + "session/SinkRole.java";
    private static final String SOURCE = ENGINE + "session/SourceRole.java";
    private static final String STORE = ENGINE + "session/StoreRole.java";
    private static final String PIPELINE = ENGINE + "Pipeline.java";
    private static final String STATE_STORE = ENGINE + "store/FileStateStore.java";
    private static final String STATE_FILE = ENGINE + "store/StateFile.java";

    private static final String FILES = "connectors/files/src/main/java/io/tidegate/connector/files/";
    private static final String FILE_SESSION = FILES + "FileSinkSession.java";
    private static final String LINE_STREAM = FILES + "LineStream.java";
    private static final String LINE_REPAIR = FILES + "LineRepair.java";

    private static final String SIMULATION = "simulation/src/main/java/io/tidegate/simulation/";
    private static final String LOG_BIRTH = SIMULATION + "source/LogBirth.java";
    private static final String LOG_READER = SIMULATION + "source/LogReader.java";
    private static final String LOG_DECODER = SIMULATION + "source/LogDecoder.java";
    private static final String SHARD_SESSION = SIMULATION + "source/ShardSession.java";
    private static final String POSITION = SIMULATION + "data/SimPosition.java";
    private static final String DATABASE = SIMULATION + "data/Database.java";
    private static final String TARGET = SIMULATION + "sink/TargetDatabase.java";
    private static final String TARGET_SESSION = SIMULATION + "sink/TargetSession.java";

    private Mutants() {}

    static List<Mutant> all() {
        return Stream.of(sessions(), rejects(), acknowledgements(), store(), files(), births(), logs(), targets())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Mutant> sessions() {
        return List.of(
                new Mutant(
                        "keeps the bytes of a session that died",
                        PARTS,
                        "options.batchChanges(), options.batchBytes(), new AtomicLong(), options.inFlightBytes()",
                        "options.batchChanges(), options.batchBytes(), counters.nothingToDo(), options.inFlightBytes()",
                        "",
                        "liveness"),
                new Mutant(
                                "begins the next session before the sink of a dead one has ended",
                                SESSION,
                                "if (phase == SessionPhase.ENDING && readers.isEmpty() && sink == null && sourceEnded",
                                "if (phase == SessionPhase.ENDING && readers.isEmpty() && sourceEnded",
                                "UPSERT_PLAIN SINK_LATE POLL_FAILS",
                                "I4")
                        .from(3407),
                new Mutant(
                        "takes a read error for the end of the data",
                        READER,
                        "        SplitReader.State state = open.poll(this, batcher.isEmpty() ? WAIT : WAIT_WITH_ROWS);\n",
                        "        SplitReader.State state;\n        try {\n"
                                + "            state = open.poll(this, batcher.isEmpty() ? WAIT : WAIT_WITH_ROWS);\n"
                                + "        } catch (io.tidegate.spi.TidegateException e) {\n"
                                + "            state = SplitReader.State.FINISHED;\n        }\n",
                        "LOG POLL_FAILS",
                        "liveness"),
                new Mutant(
                        "lets a marker overtake the rows of its batch",
                        READER,
                        "if (!batcher.rides(position)) { // I7",
                        "if (batcher.rides(position) || true) { // I7",
                        "",
                        "I3"),
                new Mutant(
                                "reads on when there is no room",
                                READER,
                                "                || limits.held().get() >= limits.heldMax();\n",
                                "                ;\n",
                                "LOG SINK_HANGS",
                                "I15")
                        .from(128),
                new Mutant(
                        "opens more readers than the source allows",
                        READERS,
                        "while (reading.size() < readersMax && !waiting.isEmpty()) {",
                        "while (!waiting.isEmpty()) {",
                        "",
                        "I15"),
                new Mutant(
                        "takes a cancel for a failure",
                        PIPELINE,
                        "if (stopAsked || failure == null) {",
                        "if (failure == null) {",
                        "STOP",
                        "I12"),
                new Mutant(
                                "waits for a stop without bound",
                                PIPELINE,
                                "if (now() >= stopBy) { // I12",
                                "if (now() < 0) { // I12",
                                "",
                                "I12")
                        .from(585));
    }

    private static List<Mutant> rejects() {
        String counted = "        parts.counters().rejected().incrementAndGet();\n";
        String settle =
                " && accepted.remove(e.batch())) {\n            mailbox.post(new SessionEvent.Settled(e.batch()));\n"
                        + "            return;\n        }\n";
        return List.of(
                new Mutant(
                                "lets later batches pass while a refused one waits",
                                SINK,
                                "        if (refused && (quiet || nanoTime() < refusedUntil)) {\n            return null;\n",
                                "        if (refused && (quiet || nanoTime() < refusedUntil)) {\n            return inbox.poll();\n",
                                "APPEND_PLAIN RETRY SINK_REJECTS",
                                "I4")
                        .from(381),
                new Mutant(
                                "counts a refused change as delivered under retry, in the stream",
                                SINK,
                                counted,
                                counted
                                        + "        if (parts.retryRejects()\n                && e.batch().changes().get(e.index()).op()"
                                        + " != io.tidegate.spi.Op.READ" + settle,
                                "LOG RETRY SINK_REJECTS",
                                "I3")
                        .from(183),
                new Mutant(
                                "counts a refused row as delivered under retry, at the barrier",
                                SINK,
                                counted,
                                counted
                                        + "        if (parts.retryRejects()\n                && e.batch().changes().get(e.index()).op()"
                                        + " == io.tidegate.spi.Op.READ" + settle,
                                "LOG RETRY SINK_REJECTS",
                                "I3")
                        .from(76),
                new Mutant(
                        "counts a refused change as delivered under halt, in the stream",
                        SINK,
                        counted,
                        counted
                                + "        if (!parts.retryRejects()\n                && e.batch().changes().get(e.index()).op()"
                                + " != io.tidegate.spi.Op.READ" + settle,
                        "LOG HALT SINK_REJECTS",
                        "I3"),
                new Mutant(
                                "counts a refused row as delivered under halt, at the barrier",
                                SINK,
                                counted,
                                counted
                                        + "        if (!parts.retryRejects()\n                && e.batch().changes().get(e.index()).op()"
                                        + " == io.tidegate.spi.Op.READ" + settle,
                                "LOG HALT SINK_REJECTS",
                                "I3")
                        .from(260),
                new Mutant(
                                "does not offer a refused batch again",
                                SINK,
                                "            again.addFirst(repeated.get(i));\n",
                                "            if (i > 0) {\n                again.addFirst(repeated.get(i));\n            }\n",
                                "APPEND_PLAIN RETRY SINK_REJECTS",
                                "liveness")
                        .from(156),
                new Mutant(
                                "has a stop wait for a refused change",
                                SESSION,
                                "            if (phase == SessionPhase.DRAINING && blockedByRefusal()) {\n",
                                "            if (phase == SessionPhase.ENDED && blockedByRefusal()) {\n",
                                "RETRY SINK_REJECTS STOP",
                                "I11")
                        .from(1764));
    }

    private static List<Mutant> acknowledgements() {
        return List.of(
                new Mutant(
                                "takes an acknowledgement that was put off for confirmed",
                                READER,
                                "if (durable != null && open.acknowledge(durable) && due.compareAndSet(durable, null)) {",
                                "if (durable != null && (open.acknowledge(durable) || true) && due.compareAndSet(durable, null)) {",
                                "LOG WINDOW ACKNOWLEDGEMENT_PUT_OFF",
                                "liveness")
                        .from(96),
                new Mutant(
                        "drops the acknowledgement that a reader left",
                        SESSION,
                        "            if (left != null) {\n",
                        "            if (left != null && left.id().isEmpty()) {\n",
                        "SHARDS",
                        "liveness"),
                new Mutant(
                                "takes an acknowledgement of a split that nobody reads for confirmed",
                                SOURCE,
                                "if (open.acknowledge(progress) && due.remove(entry.getKey(), progress)) {",
                                "if ((open.acknowledge(progress) || true) && due.remove(entry.getKey(), progress)) {",
                                "SHARDS ACKNOWLEDGEMENT_PUT_OFF",
                                "liveness")
                        .from(1120),
                new Mutant(
                        "acknowledges without a write",
                        STORE,
                        "                open().progress(progress.write().planned(), progress.write().progress());\n",
                        "",
                        "",
                        "I1"));
    }

    private static List<Mutant> store() {
        return List.of(
                new Mutant(
                        "does not force a write to the store",
                        STATE_STORE,
                        "            file.write(size, ByteBuffer.wrap(bytes));\n            file.force();\n",
                        "            file.write(size, ByteBuffer.wrap(bytes));\n",
                        "POWER_LOSS",
                        "I1"),
                new Mutant(
                        "does not force the directory after a rename",
                        STATE_STORE,
                        "            disk.forceDirectory(folder.path());\n",
                        "",
                        "POWER_LOSS",
                        "I1"),
                new Mutant(
                                "appends to a generation whose force failed",
                                STATE_STORE,
                                "        current = null; // I8: it comes back only when its force has succeeded.\n        try {\n"
                                        + "            open.append(record);\n"
                                        + "            if (!disk.exists(folder.file(generation))) {\n"
                                        + "                throw new NoSuchFileException(folder.file(generation).toString(), null,"
                                        + " \"somebody removed it\");\n            }\n        } catch (IOException e) {\n"
                                        + "            closeAfter(e, open);\n            throw e;\n        }\n",
                                "        open.append(record);\n",
                                "DISK_MARKS_CLEAN POWER_LOSS",
                                "I1")
                        .from(4298),
                new Mutant(
                                "takes what a dead process left for durable",
                                STATE_STORE,
                                "        if (current == null && generation > 0) {\n",
                                "        if (current == null && generation < 0) {\n",
                                "POWER_LOSS KILL_IN_CALL",
                                "I1")
                        .from(452),
                new Mutant(
                                "does not look at the checksum of a record",
                                STATE_FILE,
                                "        return written.equals(checksum(format, bytes, at, (int) end)) ? (int) end : -1;\n",
                                "        return written.isEmpty() ? -1 : (int) end;\n",
                                "POWER_LOSS_IN_CALL DISK_STUCK",
                                "outcome")
                        .from(2801));
    }

    private static List<Mutant> files() {
        String force =
                "        try {\n            for (LineStream stream : streams.all()) {\n                stream.force();\n"
                        + "            }\n        } catch (IOException e) {\n            throw failed(e);\n        }\n";
        String durable = "        accepted.forEach(context::durable);\n        accepted.clear();\n";
        return List.of(
                new Mutant(
                                "settles before the force",
                                FILE_SESSION,
                                force + durable,
                                durable + force,
                                "FILES POWER_LOSS_IN_CALL",
                                "I1")
                        .from(123),
                new Mutant(
                                "reports success after a force failed",
                                FILE_SESSION,
                                force + durable,
                                force.replace("            throw failed(e);\n", "            state = State.OPEN;\n")
                                        + durable,
                                "FILES DISK_MARKS_CLEAN POWER_LOSS",
                                "I1")
                        .from(361),
                new Mutant(
                                "reports success after a write failed",
                                FILE_SESSION,
                                "        } catch (UncheckedIOException e) {\n            throw failed(Objects.requireNonNull(e.getCause()));\n",
                                "        } catch (UncheckedIOException e) {\n            Objects.requireNonNull(e.getCause());\n",
                                "FILES DISK_REFUSES",
                                "I1")
                        .from(106),
                new Mutant(
                        "appends behind a failed write",
                        LINE_STREAM,
                        "            end = known.forced();\n            forced = end;\n            cut(opened, known, found);\n",
                        "            end = opened.size();\n            forced = end;\n",
                        "FILES DISK_WRITES_PARTLY",
                        "I8"),
                new Mutant(
                                "does not write again what a dead process left",
                                LINE_REPAIR,
                                "            file.write(at, chunk);\n",
                                "",
                                "FILES DISK_MARKS_CLEAN KILL POWER_LOSS",
                                "I1")
                        .from(8139),
                new Mutant(
                                "does not force the name of a new file",
                                LINE_STREAM,
                                "        adopt(next, created, disk.open(created, Disk.Mode.CREATE));\n        try {\n"
                                        + "            disk.forceDirectory(folder);\n",
                                "        adopt(next, created, disk.open(created, Disk.Mode.CREATE));\n        try {\n"
                                        + "            disk.exists(folder);\n",
                                "FILES POWER_LOSS",
                                "I1")
                        .from(118));
    }

    private static List<Mutant> births() {
        return List.of(
                new Mutant(
                        "begins a shard that is found later at its latest record",
                        SHARD_SESSION,
                        "SimPosition.of(0), \"\", shard.id())",
                        "SimPosition.of(shard.records().size()), \"\", shard.id())",
                        "SHARDS",
                        "I3"),
                new Mutant(
                        "begins a shard without a checkpoint at its latest record",
                        SHARD_SESSION,
                        "        return new ShardReader(",
                        "        if (from.equals(plan.start())) {\n            at = world.shards().shard(plan.id()).records().size();\n"
                                + "        }\n        return new ShardReader(",
                        "SHARDS",
                        "I3"),
                new Mutant(
                                "keeps chunks by place after a crash",
                                LOG_BIRTH,
                                "                && chunk.kind() != Chunk.Kind.PLACES;\n",
                                "                && chunk.kind() != null;\n",
                                "UPSERT_FENCED LOG CATCH_UP SEVERAL_CHUNKS SLOW_SNAPSHOTS",
                                "I3")
                        .from(7090),
                new Mutant(
                        "keeps the done mark of a table that was taken out",
                        LOG_BIRTH,
                        "        List<Chunk> chunks = catchUp ? left : ",
                        "        List<Chunk> chunks = record.table(table) == null && number > 1 ? List.of() : catchUp ? left : ",
                        "LOG TABLE_CHANGES",
                        "I3"),
                new Mutant(
                        "gives the splits of a new attempt the ids of the old one",
                        LOG_BIRTH,
                        "\"t\" + table + \".\" + i++ + \".\" + attempt.plan()",
                        "\"t\" + table + \".\" + i++",
                        "",
                        "outcome"),
                new Mutant(
                        "leaves the log behind the splits of a dead attempt",
                        LOG_BIRTH,
                        "        add.forEach(split -> chunks.add(split.id()));\n",
                        "        add.forEach(split -> chunks.add(split.id()));\n        durable.splits().stream()"
                                + ".filter(split -> split.plan().lineage().isEmpty())"
                                + ".forEach(split -> chunks.add(split.plan().id()));\n",
                        "",
                        "outcome"),
                new Mutant(
                        "makes the slot before the intent is durable",
                        LOG_BIRTH,
                        "            stage.check(!database.hasSlot(), \"I17\", () -> \"there is a slot, and no state of it\");\n",
                        "            stage.check(!database.hasSlot(), \"I17\", () -> \"there is a slot, and no state of it\");\n"
                                + "            slot();\n",
                        "",
                        "I17"));
    }

    private static List<Mutant> logs() {
        return List.of(
                new Mutant(
                        "leaves out a transaction that begins where the position is",
                        DATABASE,
                        "            if (log.get(middle).commitAt() >= at) {\n",
                        "            if (log.get(middle).commitAt() > at) {\n",
                        "LOG EQUAL_POSITIONS",
                        "I3"),
                new Mutant(
                        "confirms a keepalive inside of a transaction",
                        LOG_READER,
                        "        if (!inside && at > last) {\n",
                        "        database.confirm(inside ? at : 0);\n        if (!inside && at > last) {\n",
                        "LOG PRUNING KEEPALIVES",
                        "I3"),
                new Mutant(
                        "takes a keepalive below the position for a position",
                        LOG_READER,
                        "        if (!inside && at > last) {\n",
                        "        if (!inside) {\n",
                        "LOG KEEPALIVES",
                        "outcome"),
                new Mutant(
                        "compares positions as text",
                        POSITION,
                        "            int places = Long.compare(first.at, second.at);\n",
                        "            int places = print(first).compareTo(print(second));\n",
                        "",
                        "outcome"),
                new Mutant(
                                "does not read a moved row in catch-up",
                                LOG_DECODER,
                                "        if (catchUp && change.moves() && image.bigUnchanged()) {\n",
                                "        if (catchUp && change.moves() && change.number() < 0) {\n",
                                "UPSERT_FENCED LOG CATCH_UP SEVERAL_CHUNKS SLOW_SNAPSHOTS KEY_MOVES UNCHANGED_COLUMNS",
                                "I3")
                        .from(17630),
                new Mutant(
                                "gives a truncate that a snapshot shows",
                                LOG_DECODER,
                                "        if (!table.catchUp() && change.commitAt() < table.h()) {\n",
                                "        if (!table.catchUp() && change.commitAt() < table.h() && change.op() != Op.TRUNCATE) {\n",
                                "LOG TRUNCATES",
                                "I3")
                        .from(104),
                new Mutant(
                        "leaves out a truncate that no snapshot shows",
                        LOG_DECODER,
                        "        if (!table.catchUp() && change.commitAt() < table.h()) {\n",
                        "        if (change.op() == Op.TRUNCATE || (!table.catchUp() && change.commitAt() < table.h())) {\n",
                        "LOG TRUNCATES",
                        "I3"),
                new Mutant(
                                "reads the log without regard to H",
                                LOG_DECODER,
                                "        if (!table.catchUp() && change.commitAt() < table.h()) {\n",
                                "        if (change.number() < 0) {\n",
                                "LOG",
                                "I3")
                        .from(76));
    }

    private static List<Mutant> targets() {
        return List.of(
                new Mutant(
                                "inserts a part of a row for an update with unchanged columns",
                                TARGET,
                                "            missing(change);\n        }\n    }\n",
                                "            rows.put(after.key(), new Cells(after.value(), 0, 0));\n        }\n    }\n",
                                "UPSERT_FENCED LOG CATCH_UP SEVERAL_CHUNKS SLOW_SNAPSHOTS UNCHANGED_COLUMNS",
                                "I16")
                        .from(3374),
                new Mutant(
                                "does not fence a dead session off",
                                TARGET,
                                "        if (fenced && request.session != epoch) {\n",
                                "        if (fenced && request.session > epoch) {\n",
                                "UPSERT_FENCED",
                                "I4")
                        .from(293),
                new Mutant(
                                "closes a session whose requests can still land",
                                TARGET_SESSION,
                                "        if (!target.fenced() && unanswered",
                                "        if (target.fenced() && unanswered",
                                "UPSERT_PLAIN SINK_LANDS_LATE",
                                "I4")
                        .from(3407),
                new Mutant(
                        "reports success after one of several batches",
                        TARGET_SESSION,
                        "            request.lose();\n            throw fail(\"before the write\");\n",
                        "            request.lose();\n            report(request);\n            return;\n",
                        "",
                        "I3"));
    }
}
