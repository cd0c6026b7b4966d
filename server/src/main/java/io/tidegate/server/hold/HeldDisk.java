package io.tidegate.server.hold;

import io.tidegate.spi.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The disk of a state store. Passes {@link HoldPoint#WRITING}. */
record HeldDisk(Disk inner, Hold hold) implements Disk {

    @Override
    public Disk.File open(Path path, Mode mode) throws IOException {
        return new HeldFile(inner.open(path, mode), hold);
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return inner.exists(path);
    }

    @Override
    public void createDirectories(Path path) throws IOException {
        inner.createDirectories(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return inner.list(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        inner.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        inner.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        inner.forceDirectory(directory);
    }

    @Override
    public Lock lock(Path path, String holder) throws IOException {
        return inner.lock(path, holder);
    }

    private record HeldFile(Disk.File inner, Hold hold) implements Disk.File {

        @Override
        public long size() throws IOException {
            return inner.size();
        }

        @Override
        public int read(long at, ByteBuffer into) throws IOException {
            return inner.read(at, into);
        }

        @Override
        public void write(long at, ByteBuffer from) throws IOException {
            int half = from.remaining() / 2;
            inner.write(at, from.slice(from.position(), half));
            hold.pass(HoldPoint.WRITING, 1);
            from.position(from.position() + half);
            inner.write(at + half, from);
            hold.pass(HoldPoint.WRITING, 1);
        }

        @Override
        public void truncate(long size) throws IOException {
            inner.truncate(size);
        }

        @Override
        public void force() throws IOException {
            inner.force();
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }
    }
}
