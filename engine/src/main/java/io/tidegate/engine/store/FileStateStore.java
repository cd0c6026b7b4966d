package io.tidegate.engine.store;

import io.tidegate.spi.Check;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the checkpoint in a folder of files, {@code docs/formats/state-file.md}. What it rests on:
 *
 * <ol>
 *   <li>A generation is written whole under a temporary name, forced, renamed, and its directory forced. So a file that has
 *       its name is whole up to its first checkpoint; where it is not, it is damage, never a tear.
 *   <li>A write is appended to the newest generation and forced before the next one, so a power cut tears the last record
 *       at most, which nobody was told of.
 *   <li>Only a generation that this process made, and of which every force succeeded, is appended to. What an earlier
 *       process left may be in the page cache only, be it that it was killed before its force or that its force failed and
 *       the kernel marked the pages clean: so it is written anew before it is called durable ({@link #read}).
 *   <li>I8: after a failure the file is left alone for good. The next write is a new generation with what was last confirmed
 *       and that write. If the failed one landed and power is cut before, it is read again: it was true, and nothing was
 *       acknowledged for it. If it is written over, nobody was told that it landed.
 *   <li>Generations are numbered upwards and no number is used twice, so the highest one that is there holds the newest
 *       write of all that were confirmed, or one that came after it. The one before it is kept for people.
 *   <li>Nothing is written without the lock: who removed its file, with its folder or alone, let others in.
 * </ol>
 */
public final class FileStateStore implements StateStore {

    /** A smaller file is never worth a new one. */
    private static final long COMPACT_BYTES_MIN = 256 * 1024;

    /** How much larger than its first checkpoint a file grows, so that new ones cost little even if checkpoints are large. */
    private static final int COMPACT_FACTOR = 4;

    private final Disk disk;
    private final String pipeline;
    private final Positions positions;
    private final long compactBytesMin;
    private final StateFolder folder;
    private final Disk.Lock lock;

    /** What was last confirmed or, until {@link #current} is there, found. */
    private Checkpoint confirmed;

    /** The highest number seen or tried; 0 if there was none. */
    private long generation;

    /** The generation that can be appended to; null if there is none that this process may trust. */
    private @Nullable Generation current;

    private boolean closed;

    private FileStateStore(StateFolder folder, Options options, Disk.Lock lock) throws IOException {
        this.disk = options.disk();
        this.pipeline = options.pipeline();
        this.positions = options.positions();
        this.compactBytesMin = options.compactBytesMin();
        this.folder = folder;
        this.lock = lock;
        NavigableSet<Long> found = folder.generations();
        this.generation = found.isEmpty() ? 0 : found.last();
        this.confirmed = readNewest(options, folder);
    }

    /** Where a pipeline's state is, and how its positions are read. */
    public record Options(Disk disk, Path stateDir, String pipeline, Positions positions, long compactBytesMin) {

        public Options(Disk disk, Path stateDir, String pipeline, Positions positions) {
            this(disk, stateDir, pipeline, positions, COMPACT_BYTES_MIN);
        }
    }

    /**
     * Takes the pipeline's lock and reads its state. A state directory that is not there is made, and reads as empty: that
     * it is lost only the source can tell.
     *
     * @param holder who we are, for others to read, such as {@link io.tidegate.engine.env.RealDisk#holder}
     * @throws TidegateException {@link ErrorCode#STATE_HELD}, {@link ErrorCode#STATE_DAMAGED},
     *     {@link ErrorCode#STATE_NEWER}, or
     *     {@link ErrorCode#STATE_WRITE} if the directory cannot be used
     */
    public static FileStateStore open(Options options, String holder) {
        StateFolder folder = new StateFolder(options.disk(), options.stateDir(), options.pipeline());
        try {
            return locked(folder, holder, lock -> new FileStateStore(folder, options, lock));
        } catch (IOException e) {
            throw unusable(folder, e);
        }
    }

    /** Reads the state without the lock, also while it is being written: what is durable, or about to be. */
    public static Checkpoint show(Options options) {
        StateFolder folder = new StateFolder(options.disk(), options.stateDir(), options.pipeline());
        try {
            return readNewest(options, folder);
        } catch (IOException e) {
            throw unusable(folder, e);
        }
    }

    /**
     * Sets the state aside, damaged or not: the pipeline then has none.
     *
     * @return the files, under their new names; none if there was no state
     */
    public static List<Path> reset(Disk disk, Path stateDir, String pipeline, String holder) {
        StateFolder folder = new StateFolder(disk, stateDir, pipeline);
        try {
            if (!disk.exists(folder.path())) {
                return List.of();
            }
            return locked(folder, holder, lock -> {
                List<Path> aside = folder.setAside();
                lock.close();
                return aside;
            });
        } catch (IOException e) {
            throw unusable(folder, e);
        }
    }

    @Override
    public Checkpoint read() {
        if (current == null && generation > 0) {
            write(new StateWrite.Whole(confirmed));
        }
        return confirmed;
    }

    @Override
    public void replan(Replan replan) {
        write(new StateWrite.Replanned(replan));
    }

    @Override
    public void progress(List<SplitPlan> planned, List<SplitProgress> progress) {
        write(new StateWrite.Progressed(planned, progress));
    }

    /** Starts from a checkpoint of elsewhere; only where there is no state. */
    public void importState(Checkpoint checkpoint) {
        if (!confirmed.isEmpty()) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "Pipeline " + pipeline + " has a state already, in " + folder.path() + ".",
                    "Give --force, or run 'tidegate state reset FILE' first; both keep the state that is there beside the new"
                            + " one.",
                    null);
        }
        write(new StateWrite.Whole(checkpoint));
    }

    @Override
    public void close() {
        try (lock) {
            if (current != null) {
                current.close();
            }
        } catch (IOException e) {
            throw new TidegateException(
                    ErrorCode.STATE_WRITE, "The state in " + folder.path() + " cannot be closed: " + e, e);
        } finally {
            current = null;
            closed = true;
        }
    }

    private void write(StateWrite write) {
        Check.invariant(!closed, "a closed state store is written to");
        Checkpoint after = CheckpointBuilder.apply(confirmed, write, positions);
        @Nullable Generation open = current;
        try {
            if (!lock.held()) {
                throw new TidegateException(
                        ErrorCode.STATE_WRITE,
                        "Somebody removed the lock of the state in " + folder.path() + ", or its folder.",
                        "Make sure that no other process uses this state, then restart this one: it reads again what it"
                                + " has not written since.",
                        null);
            }
            current = open == null || open.isFull() || write instanceof StateWrite.Whole
                    ? begin(open, after)
                    : append(open, write);
        } catch (IOException e) {
            throw new TidegateException(
                    ErrorCode.STATE_WRITE, "The state in " + folder.path() + " cannot be written: " + e, e);
        }
        confirmed = after;
    }

    private Generation append(Generation open, StateWrite write) throws IOException {
        byte[] record = open.record(write);
        current = null; // I8: it comes back only when its force has succeeded.
        try {
            open.append(record);
            if (!disk.exists(folder.file(generation))) {
                throw new NoSuchFileException(folder.file(generation).toString(), null, "somebody removed it");
            }
        } catch (IOException e) {
            closeAfter(e, open);
            throw e;
        }
        return open;
    }

    private Generation begin(@Nullable Generation before, Checkpoint checkpoint) throws IOException {
        StateFile format = new StateFile(pipeline, generation + 1, positions);
        byte[] bytes = format.begin(checkpoint);
        current = null;
        if (before != null) {
            before.close();
        }
        folder.removeTemporary();
        generation++;
        Path temporary = folder.temporary(generation);
        Disk.File file = disk.open(temporary, Disk.Mode.CREATE);
        try {
            file.write(0, ByteBuffer.wrap(bytes));
            file.force();
            disk.rename(temporary, folder.file(generation));
            disk.forceDirectory(folder.path());
            folder.removeOld();
        } catch (IOException e) {
            closeAfter(e, file);
            throw e;
        }
        return new Generation(
                file, format, bytes.length, Math.max(compactBytesMin, COMPACT_FACTOR * (long) bytes.length));
    }

    private static Checkpoint readNewest(Options options, StateFolder folder) throws IOException {
        NavigableSet<Long> found = folder.generations();
        if (found.isEmpty()) {
            return Checkpoint.EMPTY;
        }
        long newest = found.last();
        Path path = folder.file(newest);
        try (Disk.File file = options.disk().open(path, Disk.Mode.READ)) {
            return new StateFile(options.pipeline(), newest, options.positions()).read(path, bytes(file));
        } catch (TidegateException e) {
            if (e.code() == ErrorCode.STATE_NEWER) {
                throw e;
            }
            @Nullable Long before = found.lower(newest);
            String kept = before == null
                    ? ""
                    : " " + folder.file(before).getFileName()
                            + " beside it holds an earlier state: if you move the damaged"
                            + " file away, the pipeline goes on from that one, provided that the source still has the"
                            + " changes since.";
            throw new TidegateException(e.code(), String.valueOf(e.getMessage()), e.advice() + kept, e);
        }
    }

    private static byte[] bytes(Disk.File file) throws IOException {
        long size = file.size();
        if (size > Integer.MAX_VALUE - 8) {
            throw new IOException("a file of " + size + " bytes is too large to be a state file");
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) size);
        int count = file.read(0, bytes);
        byte[] read = new byte[count];
        bytes.flip().get(read);
        return read;
    }

    private interface WithLock<T> {
        T apply(Disk.Lock lock) throws IOException;
    }

    /** Gives up the lock only if {@code body} fails. */
    private static <T> T locked(StateFolder folder, String holder, WithLock<T> body) throws IOException {
        folder.create();
        Disk.Lock lock;
        try {
            lock = folder.lock(holder);
        } catch (Disk.HeldException e) {
            throw new TidegateException(
                    ErrorCode.STATE_HELD, "The state in " + folder.path() + " is held by " + e.holder() + ".", e);
        }
        try {
            return body.apply(lock);
        } catch (IOException | RuntimeException e) {
            closeAfter(e, lock);
            throw e;
        }
    }

    private static void closeAfter(Exception failure, Closeable resource) {
        try {
            resource.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static TidegateException unusable(StateFolder folder, IOException e) {
        return new TidegateException(
                ErrorCode.STATE_WRITE, "The state in " + folder.path() + " cannot be used: " + e, e);
    }

    /** A file that this process wrote, and of which every force has succeeded. */
    private static final class Generation implements Closeable {

        private final Disk.File file;
        private final StateFile format;
        private final long sizeMax;
        private long size;
        private int lastSequence = 1;

        Generation(Disk.File file, StateFile format, long size, long sizeMax) {
            this.file = file;
            this.format = format;
            this.size = size;
            this.sizeMax = sizeMax;
        }

        boolean isFull() {
            return size >= sizeMax;
        }

        byte[] record(StateWrite write) {
            return format.record(lastSequence + 1, write);
        }

        void append(byte[] bytes) throws IOException {
            file.write(size, ByteBuffer.wrap(bytes));
            file.force();
            size += bytes.length;
            lastSequence++;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
