package io.tidegate.testkit.disk;

import io.tidegate.spi.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory with a cache. What was written and not forced is, when power is lost, there, gone, cut, or there in some
 * of its pages; names that were created, renamed or deleted without their directory's force are undone from the last one
 * backwards. Everything it decides comes from {@code choices}, so a run can be repeated.
 *
 * <p>A process ends by {@link #kill}, which leaves the cache, or by {@link #crash}, which does not; both give the disk as
 * the next process finds it, and the old one refuses everything from then on. Any thread may call it.
 */
public final class SimulatedDisk implements Disk {

    private final RandomGenerator choices;
    private final CachedDirectory root;
    private final Map<DiskEvent, Long> events;
    private final Map<DiskCall, Long> calls = new EnumMap<>(DiskCall.class);
    private final Map<Path, String> locks = new ConcurrentHashMap<>();
    private final Map<Long, DiskFault> faults = new TreeMap<>();
    private final Set<DiskCall> failing = EnumSet.noneOf(DiskCall.class);
    private long callCount;
    private long deadFrom = Long.MAX_VALUE;
    private long bytesMax = Long.MAX_VALUE;

    public SimulatedDisk(RandomGenerator choices) {
        this(choices, new CachedDirectory(), new EnumMap<>(DiskEvent.class));
    }

    private SimulatedDisk(RandomGenerator choices, CachedDirectory root, Map<DiskEvent, Long> events) {
        this.choices = choices;
        this.root = root;
        this.events = events;
    }

    /** Power is lost: the disk as the next process finds it. */
    public synchronized SimulatedDisk crash() {
        deadFrom = 0;
        return new SimulatedDisk(choices, root.crash(choices, events), events);
    }

    /** The process is killed: its locks are gone, the cache is still there. */
    public synchronized SimulatedDisk kill() {
        deadFrom = 0;
        return new SimulatedDisk(choices, root, events);
    }

    /** The call with this number, counted from 1, fails. */
    public synchronized void failAtCall(long number, DiskFault fault) {
        faults.put(number, fault);
    }

    /** The call with this number, counted from 1, and every later one fail and do nothing: the process is as good as dead. */
    public synchronized void dieAtCall(long number) {
        deadFrom = number;
    }

    /** All calls of this kind fail and do nothing, until {@link #mend}. */
    public synchronized void fail(DiskCall kind) {
        failing.add(kind);
    }

    /** The room for the content of all files together. */
    public synchronized void capacity(long bytes) {
        bytesMax = bytes;
    }

    /** No more faults, and room for everything. A dead process stays dead. */
    public synchronized void mend() {
        faults.clear();
        failing.clear();
        bytesMax = Long.MAX_VALUE;
    }

    public synchronized long calls() {
        return callCount;
    }

    public synchronized long calls(DiskCall kind) {
        return calls.getOrDefault(kind, 0L);
    }

    /** What happened to what was not forced, on this disk and those it came from. */
    public synchronized Map<DiskEvent, Long> events() {
        return Collections.unmodifiableMap(new EnumMap<>(events));
    }

    @Override
    public synchronized File open(Path path, Mode mode) throws IOException {
        return call(DiskCall.OPEN, () -> {
            CachedDirectory directory = directory(parent(path));
            @Nullable CachedNode found = directory.get(name(path));
            if (mode == Mode.CREATE) {
                if (found != null) {
                    throw new FileAlreadyExistsException(path.toString());
                }
                found = new CachedFile(new byte[0]);
                directory.put(name(path), found);
            }
            if (found instanceof CachedFile file) {
                return new OpenFile(path, file, mode);
            }
            throw found == null ? new NoSuchFileException(path.toString()) : new IOException(path + " is a directory");
        });
    }

    @Override
    public synchronized boolean exists(Path path) throws IOException {
        return call(DiskCall.EXISTS, () -> find(path) != null);
    }

    @Override
    public synchronized void createDirectories(Path path) throws IOException {
        act(DiskCall.CREATE_DIRECTORIES, () -> {
            CachedDirectory at = root;
            for (Path part : path.toAbsolutePath().normalize()) {
                @Nullable CachedNode next = at.get(part.toString());
                if (next == null) {
                    next = new CachedDirectory();
                    at.put(part.toString(), next);
                }
                if (!(next instanceof CachedDirectory directory)) {
                    throw new FileAlreadyExistsException(path.toString());
                }
                at = directory;
            }
        });
    }

    @Override
    public synchronized List<String> list(Path directory) throws IOException {
        return call(
                DiskCall.LIST,
                () -> find(directory) == null
                        ? List.of()
                        : List.copyOf(directory(directory).cached().keySet()));
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        act(DiskCall.RENAME, () -> {
            if (!parent(from).equals(parent(to))) {
                throw new IOException("a rename from one directory to another is not simulated");
            }
            CachedDirectory directory = directory(parent(from));
            if (directory.get(name(from)) == null) {
                throw new NoSuchFileException(from.toString());
            }
            directory.rename(name(from), name(to));
        });
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        act(DiskCall.DELETE, () -> {
            CachedDirectory directory = directory(parent(path));
            if (directory.get(name(path)) == null) {
                throw new NoSuchFileException(path.toString());
            }
            directory.remove(name(path));
        });
    }

    @Override
    public synchronized void forceDirectory(Path directory) throws IOException {
        act(DiskCall.FORCE_DIRECTORY, () -> {
            directory(directory).force();
        });
    }

    @Override
    public synchronized Lock lock(Path path, String holder) throws IOException {
        return call(DiskCall.LOCK, () -> {
            Path key = path.toAbsolutePath().normalize();
            @Nullable String held = locks.putIfAbsent(key, holder);
            if (held != null) {
                throw new HeldException(path, held);
            }
            CachedFile file = new CachedFile(new byte[0]);
            file.write(0, holder.getBytes(StandardCharsets.UTF_8));
            directory(parent(path)).put(name(path), file);
            return new FileLock(path, key, file);
        });
    }

    private final class FileLock implements Lock {

        private final Path path;
        private final Path key;
        private final CachedFile file;
        private final AtomicBoolean open = new AtomicBoolean(true);

        FileLock(Path path, Path key, CachedFile file) {
            this.path = path;
            this.key = key;
            this.file = file;
        }

        @Override
        public boolean held() throws IOException {
            synchronized (SimulatedDisk.this) {
                return call(DiskCall.EXISTS, () -> open.get() && find(path) == file);
            }
        }

        @Override
        public void close() {
            if (open.getAndSet(false)) {
                locks.remove(key);
            }
        }
    }

    private interface Body<T> {
        T run() throws IOException;
    }

    private interface Action {
        void run() throws IOException;
    }

    private void act(DiskCall kind, Action action) throws IOException {
        call(kind, () -> {
            action.run();
            return true;
        });
    }

    private <T> T call(DiskCall kind, Body<T> body) throws IOException {
        @Nullable DiskFault fault = next(kind);
        if (fault == null) {
            return body.run();
        }
        if (fault == DiskFault.LANDED && kind != DiskCall.LOCK) { // Nobody could let go of that lock.
            body.run();
        }
        throw failed(kind, fault);
    }

    /** Counts the call, and says how it fails if it does. */
    private @Nullable DiskFault next(DiskCall kind) throws IOException {
        callCount++;
        calls.merge(kind, 1L, Long::sum);
        if (callCount >= deadFrom) {
            throw new IOException("the process that had this disk is dead");
        }
        @Nullable DiskFault fault = faults.get(callCount);
        return fault == null && failing.contains(kind) ? DiskFault.REFUSED : fault;
    }

    private IOException failed(DiskCall kind, DiskFault fault) {
        events.merge(DiskEvent.FAULT, 1L, Long::sum);
        return new IOException("simulated failure of call " + callCount + ", " + kind + ", " + fault);
    }

    private long room() {
        return bytesMax == Long.MAX_VALUE ? Long.MAX_VALUE : bytesMax - bytes(root);
    }

    private static long bytes(CachedNode node) {
        return node instanceof CachedFile file
                ? file.cached().length
                : ((CachedDirectory) node)
                        .cached().values().stream()
                                .mapToLong(SimulatedDisk::bytes)
                                .sum();
    }

    private static Path parent(Path path) throws IOException {
        @Nullable Path parent = path.toAbsolutePath().normalize().getParent();
        if (parent == null) {
            throw new IOException(path + " has no parent");
        }
        return parent;
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }

    private CachedDirectory directory(Path path) throws IOException {
        @Nullable CachedNode found = find(path);
        if (found instanceof CachedDirectory directory) {
            return directory;
        }
        throw found == null ? new NoSuchFileException(path.toString()) : new NotDirectoryException(path.toString());
    }

    private @Nullable CachedNode find(Path path) {
        @Nullable CachedNode at = root;
        for (Path part : path.toAbsolutePath().normalize()) {
            at = at instanceof CachedDirectory directory ? directory.get(part.toString()) : null;
        }
        return at;
    }

    private final class OpenFile implements File {

        private final Path path;
        private final CachedFile file;
        private final Mode mode;
        private boolean closed;

        OpenFile(Path path, CachedFile file, Mode mode) {
            this.path = path;
            this.file = file;
            this.mode = mode;
        }

        @Override
        public long size() throws IOException {
            return onFile(DiskCall.SIZE, () -> (long) file.cached().length);
        }

        @Override
        public int read(long at, ByteBuffer into) throws IOException {
            return onFile(DiskCall.READ, () -> {
                int count = (int) Math.max(0, Math.min(into.remaining(), file.cached().length - at));
                if (count > 0) {
                    into.put(file.cached(), Math.toIntExact(at), count);
                }
                return count;
            });
        }

        @Override
        public void write(long at, ByteBuffer from) throws IOException {
            synchronized (SimulatedDisk.this) {
                @Nullable DiskFault fault = next(DiskCall.WRITE);
                checkOpen(true);
                byte[] bytes = new byte[from.remaining()];
                from.duplicate().get(bytes);
                long more = Math.max(0, at + bytes.length - file.cached().length);
                long room = room();
                if (fault == null && more <= room) {
                    from.position(from.limit());
                    file.write(at, bytes);
                    return;
                }
                long landed = fault == null
                        ? Math.max(0, bytes.length - (more - room))
                        : switch (fault) {
                            case REFUSED, MARKED_CLEAN -> 0;
                            case PARTLY -> choices.nextInt(bytes.length + 1);
                            case LANDED -> bytes.length;
                        };
                file.write(at, Arrays.copyOf(bytes, (int) landed));
                if (fault == null) {
                    events.merge(DiskEvent.OUT_OF_SPACE, 1L, Long::sum);
                    throw new IOException("no space left on the simulated disk");
                }
                throw failed(DiskCall.WRITE, fault);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            actOnFile(DiskCall.TRUNCATE, () -> {
                checkOpen(true);
                file.truncate(size);
            });
        }

        @Override
        public void force() throws IOException {
            synchronized (SimulatedDisk.this) {
                @Nullable DiskFault fault = next(DiskCall.FORCE);
                checkOpen(false);
                if (fault == null || fault == DiskFault.LANDED) {
                    file.force();
                } else if (fault == DiskFault.MARKED_CLEAN) {
                    file.markClean(choices, events);
                }
                if (fault != null) {
                    throw failed(DiskCall.FORCE, fault);
                }
            }
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                actOnFile(DiskCall.CLOSE, () -> closed = true);
            }
        }

        private <T> T onFile(DiskCall kind, Body<T> body) throws IOException {
            synchronized (SimulatedDisk.this) {
                return call(kind, () -> {
                    checkOpen(false);
                    return body.run();
                });
            }
        }

        private void actOnFile(DiskCall kind, Action action) throws IOException {
            onFile(kind, () -> {
                action.run();
                return true;
            });
        }

        private void checkOpen(boolean toWrite) throws IOException {
            if (closed || (toWrite && mode == Mode.READ)) {
                throw new IOException(path + " is not open" + (toWrite ? " for writing" : ""));
            }
        }
    }
}
