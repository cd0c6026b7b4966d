package io.tidegate.engine.env;

import io.tidegate.spi.Disk;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The disk of this machine. Any thread may call it; an open file belongs to one thread, which must not be interrupted
 * while it uses it (the JDK then closes the file, and what was being written is unknown).
 */
public final class RealDisk implements Disk {

    /**
     * The locks of this JVM by real path, with their holders. The system's locks belong to the process, and closing any
     * channel of a file gives all of the process's locks on it up: a second opener must be refused before it opens it.
     */
    private static final Map<Path, String> HELD_HERE = new ConcurrentHashMap<>();

    /** Behind any content, so that the holder's text can be read where locks are mandatory. */
    private static final long LOCKED_BYTE = Long.MAX_VALUE - 1;

    private static final int HOLDER_BYTES_MAX = 1024;

    /** Names this process to whoever finds its lock: process id, host, and since when. */
    public static String holder(Instant since) throws IOException {
        Path kernelHostName = Path.of("/proc/sys/kernel/hostname");
        @Nullable
        String host = Files.exists(kernelHostName)
                ? Files.readString(kernelHostName, StandardCharsets.UTF_8).strip()
                : System.getenv("HOSTNAME");
        return "process " + ProcessHandle.current().pid()
                + (host == null || host.isEmpty() ? "" : " on " + host)
                + " since " + since.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public File open(Path path, Mode mode) throws IOException {
        FileChannel channel = switch (mode) {
            case READ -> FileChannel.open(path, StandardOpenOption.READ);
            case WRITE -> FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            case CREATE ->
                FileChannel.open(
                        path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        };
        return new ChannelFile(channel);
    }

    @Override
    public boolean exists(Path path) throws IOException {
        try {
            Files.readAttributes(path, BasicFileAttributes.class);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void createDirectories(Path path) throws IOException {
        Files.createDirectories(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        if (!exists(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(Path::getFileName).map(Path::toString).sorted().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public Lock lock(Path path, String holder) throws IOException {
        Path real = real(path);
        String before = HELD_HERE.putIfAbsent(real, holder);
        if (before != null) {
            throw new HeldException(path, before);
        }
        try {
            return lockFile(path, real, holder);
        } catch (IOException | RuntimeException e) {
            HELD_HERE.remove(real);
            throw e;
        }
    }

    private static Path real(Path path) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Path parent = absolute.getParent();
        return parent == null ? absolute : parent.toRealPath().resolve(absolute.getFileName());
    }

    private static Lock lockFile(Path path, Path real, String holder) throws IOException {
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        try {
            @Nullable FileLock lock = tryLock(channel);
            if (lock == null) {
                throw new HeldException(path, readHolder(channel));
            }
            channel.truncate(0);
            ByteBuffer text = StandardCharsets.UTF_8.encode(holder + "\n");
            for (long at = 0; text.hasRemaining(); ) {
                at += channel.write(text, at);
            }
            return new FileLocked(path, real, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static final class FileLocked implements Lock {

        private final Path path;
        private final Path real;
        private final FileChannel channel;
        /** Tells the file from another one of its name; null where the system has nothing of the kind. */
        private final @Nullable Object file;

        FileLocked(Path path, Path real, FileChannel channel) throws IOException {
            this.path = path;
            this.real = real;
            this.channel = channel;
            this.file = fileKey();
        }

        private @Nullable Object fileKey() throws IOException {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        }

        @Override
        public boolean held() throws IOException {
            try {
                return channel.isOpen() && Objects.equals(file, fileKey());
            } catch (NoSuchFileException e) {
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            if (channel.isOpen()) { // Closed before, the name may be another holder's by now.
                channel.close();
                HELD_HERE.remove(real);
            }
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock(LOCKED_BYTE, 1, false);
        } catch (OverlappingFileLockException e) {
            // Another class loader's copy of this class in the same JVM has it.
            return null;
        }
    }

    private static String readHolder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(HOLDER_BYTES_MAX);
        channel.read(text, 0);
        String holder = StandardCharsets.UTF_8.decode(text.flip()).toString().strip();
        return holder.isEmpty() ? "another process" : holder;
    }

    private static final class ChannelFile implements File {

        private final FileChannel channel;

        ChannelFile(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(long at, ByteBuffer into) throws IOException {
            int total = 0;
            while (into.hasRemaining()) {
                int count = channel.read(into, at + total);
                if (count < 0) {
                    break;
                }
                total += count;
            }
            return total;
        }

        @Override
        public void write(long at, ByteBuffer from) throws IOException {
            for (long next = at; from.hasRemaining(); ) {
                int count = channel.write(from, next);
                if (count <= 0) {
                    throw new EOFException("the disk took none of " + from.remaining() + " bytes");
                }
                next += count;
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public void force() throws IOException {
            channel.force(true);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
