package io.tidegate.connector.files;

import io.tidegate.spi.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Numbered files of lines, of which the newest is written to. Belongs to a session's thread; after an exception of a
 * method that writes, only {@link #close} may be called.
 *
 * <ul>
 *   <li>The name of a new file is durable before anything in it settles.
 *   <li>A file gets its finished name when all of it is forced, and never changes again.
 *   <li>I8: a file of which a write, cut or force failed is only ever cut back to what was forced before, and finished.
 * </ul>
 */
final class LineStream {

    private final Disk disk;
    private final Path folder;
    private final String name;
    private final ForcedLengths lengths;
    private final long startedNanos;
    private @Nullable Path path;
    private Disk.@Nullable File file;
    private long number;
    private long next = 1;
    private long end;
    private long forced;
    private long sinceNanos;

    LineStream(Disk disk, Path folder, String name, ForcedLengths lengths, long startedNanos) {
        this.disk = disk;
        this.folder = folder;
        this.name = name;
        this.lengths = lengths;
        this.startedNanos = startedNanos;
    }

    /** Brings what earlier sessions and processes left into order, and goes on in the newest file if that may be. */
    void recover() throws IOException {
        TreeSet<Long> finished = new TreeSet<>();
        TreeSet<Long> open = new TreeSet<>();
        for (String entry : disk.list(folder)) {
            OptionalLong done = FileNames.numberOf(entry, name, FileNames.FINISHED);
            done.ifPresent(finished::add);
            FileNames.numberOf(entry, name, FileNames.OPEN).ifPresent(open::add);
        }
        next = finished.isEmpty() ? 1 : finished.last() + 1;
        for (long one : open) {
            if (finished.contains(one)) {
                throw new IOException("both " + folder.resolve(FileNames.numbered(name, one, FileNames.OPEN)) + " and "
                        + FileNames.numbered(name, one, FileNames.FINISHED) + " exist: move one of them away");
            }
            recover(one, one >= next && one == open.last());
        }
    }

    private void recover(long one, boolean newest) throws IOException {
        Path found = folder.resolve(FileNames.numbered(name, one, FileNames.OPEN));
        ForcedLengths.Known known = lengths.get(found);
        boolean failed = known != null && known.failed();
        adopt(one, found, disk.open(found, Disk.Mode.WRITE));
        Disk.File opened = file();
        if (known == null) {
            end = LineRepair.repair(opened);
        } else {
            end = known.forced();
            forced = end;
            cut(opened, known, found);
        }
        forced = end;
        sinceNanos = startedNanos;
        if (failed || !newest) {
            if (end > 0) {
                finish();
            } else {
                deleteEmpty();
            }
        } else {
            lengths.forced(found, end);
        }
    }

    /**
     * Cuts back to what this process forced. If something failed since, the force that follows vouches for nothing that
     * failed: all it keeps was forced before. What failed may have been this cut's own force: the file then has its length
     * already, and the disk may not. Only a change makes a force do anything, so the file grows by a byte first.
     */
    private void cut(Disk.File opened, ForcedLengths.Known known, Path found) throws IOException {
        long length = known.forced();
        long size = opened.size();
        if (size < length) {
            throw new IOException(
                    found + " has " + size + " bytes, but " + length + " were made durable: it was changed");
        }
        if (size > length || known.failed()) {
            try {
                if (size == length) {
                    opened.write(length, ByteBuffer.wrap(new byte[1]));
                }
                opened.truncate(length);
                opened.force();
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }

    private void adopt(long one, Path opened, Disk.File handle) {
        number = one;
        next = Math.max(next, one + 1);
        path = opened;
        file = handle;
    }

    /** Appends lines, or a piece of one: the rest of it must follow before it is forced. */
    void append(byte[] lines, int offset, int count, long nowNanos) throws IOException {
        if (path == null) {
            create(nowNanos);
        }
        Disk.File target = file();
        try {
            target.write(end, ByteBuffer.wrap(lines, offset, count));
        } catch (IOException e) {
            throw failed(e);
        }
        end += count;
    }

    private void create(long nowNanos) throws IOException {
        Path created = folder.resolve(FileNames.numbered(name, next, FileNames.OPEN));
        end = 0;
        forced = 0;
        sinceNanos = nowNanos;
        adopt(next, created, disk.open(created, Disk.Mode.CREATE));
        try {
            disk.forceDirectory(folder);
        } catch (IOException e) {
            throw failed(e);
        }
        lengths.forced(created, 0);
    }

    /** Takes back what was appended behind this length and did not settle. */
    void rollBack(long length) throws IOException {
        if (end > length) {
            boolean wasForced = forced > length;
            forced = Math.min(forced, length);
            Disk.File target = file();
            try {
                target.truncate(length);
                if (wasForced) {
                    // Else what comes next could be mixed with it, page by page, by a loss of power.
                    target.force();
                }
            } catch (IOException e) {
                throw failed(e);
            }
            end = length;
            lengths.forced(path(), forced);
        }
    }

    /** Makes all that was appended durable. */
    void force() throws IOException {
        if (end > forced) {
            try {
                file().force();
            } catch (IOException e) {
                throw failed(e);
            }
            forced = end;
            lengths.forced(path(), forced);
        }
    }

    /** Gives the file, all of which is forced, its finished name. */
    void finish() throws IOException {
        Path done = path();
        park();
        path = null;
        end = 0;
        forced = 0;
        disk.rename(done, folder.resolve(FileNames.numbered(name, number, FileNames.FINISHED)));
        disk.forceDirectory(folder);
        lengths.forget(done);
    }

    private void deleteEmpty() throws IOException {
        Path empty = path();
        park();
        path = null;
        next = Math.min(next, number);
        disk.delete(empty);
        disk.forceDirectory(folder);
        lengths.forget(empty);
    }

    /** Gives the handle back until it is needed again; all must be forced. */
    void park() throws IOException {
        Disk.File handle = file;
        file = null;
        if (handle != null) {
            handle.close();
        }
    }

    /** Ends; nothing is made durable. */
    void close() throws IOException {
        park();
    }

    /** Bytes in the file that is being written, forced or not. */
    long end() {
        return end;
    }

    boolean settled() {
        return end == forced;
    }

    boolean empty() {
        return end == 0;
    }

    long sinceNanos() {
        return sinceNanos;
    }

    private IOException failed(IOException cause) {
        lengths.failed(path(), forced);
        return cause;
    }

    private Path path() {
        if (path == null) {
            throw new IllegalStateException("stream " + name + " has no open file");
        }
        return path;
    }

    private Disk.File file() throws IOException {
        Disk.File handle = file;
        if (handle == null) {
            handle = disk.open(path(), Disk.Mode.WRITE);
            file = handle;
        }
        return handle;
    }
}
