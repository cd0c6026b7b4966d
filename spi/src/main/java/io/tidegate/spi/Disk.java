package io.tidegate.spi;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * All that Tidegate does to files, so that a simulated disk can tear it. Writes may be cached until they are forced; a
 * created, renamed or deleted name is durable only when its directory was forced.
 */
public interface Disk {

    /** How a file is opened. */
    enum Mode {
        /** It must exist. */
        READ,
        /** It must exist. */
        WRITE,
        /** It must not exist. */
        CREATE
    }

    /**
     * Opens a file.
     *
     * @throws java.nio.file.NoSuchFileException if it must exist and does not
     * @throws java.nio.file.FileAlreadyExistsException if it must not exist and does
     */
    File open(Path path, Mode mode) throws IOException;

    boolean exists(Path path) throws IOException;

    void createDirectories(Path path) throws IOException;

    /** The names of the entries of a directory, sorted; none if the directory is not there. */
    List<String> list(Path directory) throws IOException;

    /** Atomically, replacing what is there. */
    void rename(Path from, Path to) throws IOException;

    void delete(Path path) throws IOException;

    /** Makes the names in a directory durable. */
    void forceDirectory(Path directory) throws IOException;

    /**
     * Takes a lock that ends with the process, on a file that it creates if need be, and writes {@code holder} into it.
     *
     * @throws HeldException somebody else has it
     */
    Lock lock(Path path, String holder) throws IOException;

    /** A lock that was taken. Belongs to one thread. */
    interface Lock extends Closeable {

        /** Whether it still keeps others out: not if somebody removed its file, or put another one in its place. */
        boolean held() throws IOException;
    }

    /** An open file. Belongs to one thread. */
    interface File extends Closeable {
        long size() throws IOException;

        /** Reads up to the buffer's room from {@code at}; fewer only at the end of the file. */
        int read(long at, ByteBuffer into) throws IOException;

        /** Writes all of the buffer at {@code at}. After a failure, what of it is there is unknown. */
        void write(long at, ByteBuffer from) throws IOException;

        void truncate(long size) throws IOException;

        /** Makes content and size durable. Never tried again on the same file after it failed (I8). */
        void force() throws IOException;
    }

    /** A lock is taken. */
    final class HeldException extends IOException {

        private static final long serialVersionUID = 1;

        private final String holder;

        public HeldException(Path path, String holder) {
            super(path + " is locked by " + holder);
            this.holder = holder;
        }

        public String holder() {
            return holder;
        }
    }
}
