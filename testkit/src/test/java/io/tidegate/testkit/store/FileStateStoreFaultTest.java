package io.tidegate.testkit.store;

import static io.tidegate.testkit.store.NumberPositions.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.DiskCall;
import io.tidegate.testkit.disk.DiskFault;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The n-th call of the disk fails, for each n and in each way, in everything that is done to a store. What is done then fails,
 * as a failure of the disk and of nothing else; done again, it succeeds; and what was confirmed is there after a power cut.
 */
class FileStateStoreFaultTest {

    private static final Path STATE_DIR = Path.of("/var/state");

    /** So small that a few writes fill a generation. */
    private static final long COMPACT_BYTES_MIN = 1;

    /** Something that is done to a store, with the calls of the disk that it needs. */
    enum Doing {
        OPEN("CREATE_DIRECTORIES EXISTS FORCE_DIRECTORY LIST LOCK"),
        OPEN_AGAIN("CLOSE EXISTS FORCE_DIRECTORY LIST LOCK OPEN READ SIZE"),
        READ("DELETE EXISTS FORCE FORCE_DIRECTORY LIST OPEN RENAME WRITE"),
        REPLAN("EXISTS FORCE WRITE"),
        PROGRESS("EXISTS FORCE WRITE"),
        COMPACTION("CLOSE DELETE EXISTS FORCE FORCE_DIRECTORY LIST OPEN RENAME WRITE"),
        CLOSE("CLOSE");

        private final String calls;

        Doing(String calls) {
            this.calls = calls;
        }
    }

    /** A process that has a store open, or is about to. */
    private static final class Life {

        private final SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(5));
        private FileStateStore store;
        private long position = 10;
        private Checkpoint confirmed = Checkpoint.EMPTY;

        private static FileStateStore.Options options(SimulatedDisk disk) {
            return new FileStateStore.Options(disk, STATE_DIR, "orders", new NumberPositions(), COMPACT_BYTES_MIN);
        }

        /** A process for which this is the next thing to do. */
        static Life before(Doing doing) {
            Life life = new Life();
            if (doing == Doing.OPEN) {
                return life;
            }
            for (int i = 0; i < 3; i++) { // so that an old generation has to go
                life.open();
                life.read();
                life.replan();
                life.store.close();
            }
            if (doing == Doing.OPEN_AGAIN) {
                return life;
            }
            life.open();
            if (doing != Doing.READ) {
                life.read();
            }
            for (int i = doing == Doing.COMPACTION ? writesBeforeCompaction() : 0; i > 0; i--) {
                life.progress();
            }
            return life;
        }

        private static int writesBeforeCompaction() {
            Life life = before(Doing.PROGRESS);
            long generations = life.disk.calls(DiskCall.RENAME);
            int writes = 0;
            for (; life.disk.calls(DiskCall.RENAME) == generations; writes++) {
                life.progress();
            }
            return writes - 1;
        }

        void now(Doing doing) {
            switch (doing) {
                case OPEN, OPEN_AGAIN -> open();
                case READ -> read();
                case REPLAN -> replan();
                case PROGRESS, COMPACTION -> progress();
                case CLOSE -> store.close();
            }
        }

        private void open() {
            store = FileStateStore.open(options(disk), "me");
        }

        private void read() {
            assertThat(store.read()).isEqualTo(confirmed);
        }

        private void replan() {
            SplitPlan log = new SplitPlan("log", List.of(), at(10), "");
            String step = Integer.toString(confirmed.source().entries().size());
            store.replan(new Replan(
                    confirmed.source().with("step" + step, step),
                    Set.of(),
                    confirmed.isEmpty() ? List.of(log) : List.of()));
            confirmed = store.read();
        }

        private void progress() {
            store.progress(List.of(), List.of(new SplitProgress("log", at(position + 1), false)));
            position++;
            confirmed = store.read();
        }

        /** What the next life finds after a power cut. */
        Checkpoint found() {
            return FileStateStore.show(options(disk.crash()));
        }
    }

    private static long calls(Doing doing) {
        Life life = Life.before(doing);
        long before = life.disk.calls();
        life.now(doing);
        return life.disk.calls() - before;
    }

    @ParameterizedTest
    @EnumSource(Doing.class)
    void failsAsTheDiskDoesWhicheverCallFailsAndSucceedsWhenDoneAgain(Doing doing) {
        Set<String> failed = new TreeSet<>();
        for (DiskFault fault : DiskFault.values()) {
            for (long n = 1; n <= calls(doing); n++) {
                Life life = Life.before(doing);
                Checkpoint before = life.confirmed;
                life.disk.failAtCall(life.disk.calls() + n, fault);
                TidegateException failure = catchThrowableOfType(TidegateException.class, () -> life.now(doing));
                String what = fault + " at call " + n;
                assertThat(failure).as(what).isNotNull();
                assertThat(failure.code()).as(what).isEqualTo(ErrorCode.STATE_WRITE);
                failed.add(String.valueOf(failure.getMessage()).replaceAll(".*call [0-9]+, ([A-Z_]+), .*", "$1"));
                if (doing == Doing.CLOSE) {
                    assertThat(life.found()).as(what).isEqualTo(before);
                    continue;
                }
                life.now(doing);
                assertThat(life.found()).as(what).isEqualTo(life.confirmed);
            }
        }
        assertThat(failed).containsExactly(doing.calls.split(" "));
    }

    @ParameterizedTest
    @EnumSource(Doing.class)
    void holdsWhatItConfirmedWhicheverCallFailsAndPowerIsCutThen(Doing doing) {
        for (DiskFault fault : DiskFault.values()) {
            for (long n = 1; n <= calls(doing); n++) {
                Life life = Life.before(doing);
                Checkpoint before = life.confirmed;
                life.disk.failAtCall(life.disk.calls() + n, fault);
                assertThat(catchThrowableOfType(TidegateException.class, () -> life.now(doing)))
                        .isNotNull();
                Checkpoint found = life.found();
                String what = fault + " at call " + n;
                if (!found.equals(before)) { // then it is what was being written, and landed
                    Life other = Life.before(doing);
                    other.now(doing);
                    assertThat(found).as(what).isEqualTo(other.confirmed);
                    assertThat(doing).as(what).isIn(Doing.REPLAN, Doing.PROGRESS, Doing.COMPACTION);
                }
            }
        }
    }
}
