package io.tidegate.simulation.life;

import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Faults;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Disk;
import io.tidegate.testkit.disk.DiskCall;
import io.tidegate.testkit.disk.DiskFault;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The simulated disk as one process meets it: calls fail, hang, find it full, or are the last that the process does. */
final class FaultyDisk implements Disk {

    private static final long STUCK_NANOS_MAX = 2_000_000_000L;
    private static final long FULL_NANOS_MAX = 1_000_000_000L;

    private final Stage stage;
    private final Life process;
    private final SimulatedDisk disk;
    private long fullUntil;

    FaultyDisk(Stage stage, Life process, SimulatedDisk disk) {
        this.stage = stage;
        this.process = process;
        this.disk = disk;
    }

    private void before(DiskCall call) {
        Faults faults = stage.faults();
        stage.say(() -> "disk " + call);
        process.pass(call.name());
        if (faults.strikes(Fault.DISK_STUCK)) {
            process.await(faults.between(1, STUCK_NANOS_MAX), faults::isOff);
        }
        room(call);
        if (faults.strikes(Fault.DISK_REFUSES)) {
            fail(DiskFault.REFUSED);
        } else if (reads(call) && faults.strikes(Fault.DISK_READ_FAILS)) {
            fail(DiskFault.REFUSED);
        } else if (!reads(call) && faults.strikes(Fault.DISK_LANDS_AND_FAILS)) {
            fail(DiskFault.LANDED);
        } else if (call == DiskCall.WRITE && faults.strikes(Fault.DISK_WRITES_PARTLY)) {
            fail(DiskFault.PARTLY);
        } else if (call == DiskCall.FORCE && faults.strikes(Fault.DISK_MARKS_CLEAN)) {
            fail(DiskFault.MARKED_CLEAN);
        }
    }

    private void fail(DiskFault how) {
        disk.failAtCall(disk.calls() + 1, how);
    }

    private static boolean reads(DiskCall call) {
        return call == DiskCall.READ
                || call == DiskCall.SIZE
                || call == DiskCall.LIST
                || call == DiskCall.EXISTS
                || call == DiskCall.OPEN;
    }

    private void room(DiskCall call) {
        long now = stage.scheduler().nanoTime();
        if (call == DiskCall.WRITE && stage.faults().strikes(Fault.DISK_FULL)) {
            fullUntil = now + stage.faults().between(1, FULL_NANOS_MAX);
            disk.capacity(0);
        } else if (fullUntil != 0 && (now >= fullUntil || stage.faults().isOff())) {
            fullUntil = 0;
            disk.capacity(Long.MAX_VALUE);
        }
    }

    @Override
    public File open(Path path, Mode mode) throws IOException {
        before(DiskCall.OPEN);
        return new FaultyFile(disk.open(path, mode));
    }

    @Override
    public boolean exists(Path path) throws IOException {
        before(DiskCall.EXISTS);
        return disk.exists(path);
    }

    @Override
    public void createDirectories(Path path) throws IOException {
        before(DiskCall.CREATE_DIRECTORIES);
        disk.createDirectories(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        before(DiskCall.LIST);
        return disk.list(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        before(DiskCall.RENAME);
        disk.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        before(DiskCall.DELETE);
        disk.delete(path);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        before(DiskCall.FORCE_DIRECTORY);
        disk.forceDirectory(directory);
    }

    /** Never fails by a fault: no system says that a lock was not taken when it was. */
    @Override
    public Lock lock(Path path, String holder) throws IOException {
        process.pass(DiskCall.LOCK.name());
        Lock lock = disk.lock(path, holder);
        return new Lock() {
            @Override
            public boolean held() throws IOException {
                before(DiskCall.EXISTS);
                return lock.held();
            }

            @Override
            public void close() throws IOException {
                lock.close();
            }
        };
    }

    private final class FaultyFile implements File {

        private final File file;

        FaultyFile(File file) {
            this.file = file;
        }

        @Override
        public long size() throws IOException {
            before(DiskCall.SIZE);
            return file.size();
        }

        @Override
        public int read(long at, ByteBuffer into) throws IOException {
            before(DiskCall.READ);
            return file.read(at, into);
        }

        @Override
        public void write(long at, ByteBuffer from) throws IOException {
            before(DiskCall.WRITE);
            file.write(at, from);
        }

        @Override
        public void truncate(long size) throws IOException {
            before(DiskCall.TRUNCATE);
            file.truncate(size);
        }

        @Override
        public void force() throws IOException {
            before(DiskCall.FORCE);
            file.force();
        }

        @Override
        public void close() throws IOException {
            before(DiskCall.CLOSE);
            file.close();
        }
    }
}
