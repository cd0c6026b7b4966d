package io.tidegate.testkit.store;

import static io.tidegate.testkit.store.NumberPositions.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.engine.store.StateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.DiskCall;
import io.tidegate.testkit.disk.DiskFault;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a state store refuses, and what it does for people. */
class FileStateStoreTest {

    private static final Path STATE_DIR = Path.of("/var/state");

    private final SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));

    private static FileStateStore.Options options(Disk disk, Path stateDir) {
        return new FileStateStore.Options(disk, stateDir, "orders", new NumberPositions());
    }

    private FileStateStore open() {
        return FileStateStore.open(options(disk, STATE_DIR), "process 1");
    }

    private static SplitPlan plan(String id, String... after) {
        return new SplitPlan(id, List.of(after), at(10), "spec of " + id);
    }

    /** A chunk and the log after it. */
    private FileStateStore born() {
        FileStateStore store = open();
        store.replan(new Replan(
                SourceRecord.EMPTY.with("server", "s"), Set.of(), List.of(plan("chunk"), plan("log", "chunk"))));
        return store;
    }

    private static Consumer<StateStore> progress(SplitProgress... progress) {
        return store -> store.progress(List.of(), List.of(progress));
    }

    private static Consumer<StateStore> forget(String... ids) {
        return store -> store.replan(new Replan(SourceRecord.EMPTY, Set.of(ids), List.of()));
    }

    private void refuses(Consumer<StateStore> write, String why) {
        try (FileStateStore store = born()) {
            store.progress(List.of(), List.of(new SplitProgress("chunk", at(20), false)));
            Checkpoint before = store.read();
            TidegateException refusal = catchThrowableOfType(TidegateException.class, () -> write.accept(store));
            assertThat(refusal).as(why).isNotNull();
            assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL);
            assertThat(refusal).hasMessageContaining(why);
            assertThat(store.read()).isEqualTo(before);
        }
        assertThat(open().read().splits()).hasSize(2);
    }

    @Test
    void refusesAPositionThatGoesBack() {
        refuses(progress(new SplitProgress("chunk", at(19), false)), "I2: the position of split chunk went back");
    }

    @Test
    void refusesAPositionThatGoesAway() {
        refuses(progress(new SplitProgress("chunk", null, false)), "I2: the position of split chunk went back");
    }

    @Test
    void refusesAPositionThatGoesBackWithinOneWrite() {
        refuses(
                progress(new SplitProgress("chunk", at(30), false), new SplitProgress("chunk", at(29), false)),
                "I2: the position of split chunk went back");
    }

    @Test
    void refusesThatADoneSplitIsNotDoneAnyMore() {
        refuses(
                progress(new SplitProgress("chunk", at(30), true), new SplitProgress("chunk", at(31), false)),
                "I2: split chunk is not done any more");
    }

    @Test
    void refusesProgressOfASplitThatIsNotKnown() {
        refuses(progress(new SplitProgress("chunks", at(30), true)), "split chunks is not known");
    }

    @Test
    void refusesThatASplitMovesInTheWriteThatEndsTheOneBeforeIt() {
        refuses(
                progress(new SplitProgress("chunk", at(30), true), new SplitProgress("log", at(30), false)),
                "I6: split log moved before chunk was durably done");
    }

    @Test
    void refusesAKnownSplitWithAnotherPlan() {
        refuses(store -> store.progress(List.of(plan("log")), List.of()), "the plan of split log changed");
    }

    @Test
    void refusesASplitThatComesAfterOneThatIsNotKnown() {
        refuses(store -> store.progress(List.of(plan("late", "none")), List.of()), "split late comes after none");
    }

    @Test
    void refusesToForgetASplitWithoutThoseThatComeAfterIt() {
        refuses(forget("chunk"), "split chunk is forgotten but log, which comes after it, is not");
    }

    @Test
    void refusesToGiveTheIdOfAForgottenSplitAtOnce() {
        refuses(
                store -> store.replan(new Replan(SourceRecord.EMPTY, Set.of("log"), List.of(plan("log")))),
                "a new split has the id of a forgotten one: log");
    }

    @Test
    void takesPlansBeforeTheProgressOfTheSameWrite() {
        try (FileStateStore store = born()) {
            store.progress(List.of(plan("shard")), List.of(new SplitProgress("shard", at(11), false)));
            assertThat(store.read().splits())
                    .contains(new SplitState(plan("shard"), new SplitProgress("shard", at(11), false)));
        }
    }

    @Test
    void forgetsASplitWithAllThatComeAfterItAndKeepsTheOrderOfPlanning() {
        try (FileStateStore store = born()) {
            store.progress(List.of(plan("other")), List.of());
            store.replan(new Replan(
                    SourceRecord.EMPTY,
                    Set.of("chunk", "log"),
                    List.of(plan("chunk-2"), plan("log-2", "chunk-2", "other"))));
            assertThat(store.read().splits())
                    .extracting(s -> s.plan().id())
                    .containsExactly("other", "chunk-2", "log-2");
        }
    }

    @Test
    void saysWhoHoldsTheState() {
        try (FileStateStore store = born()) {
            assertThat(store.read().isEmpty()).isFalse();
            TidegateException refusal = catchThrowableOfType(TidegateException.class, this::open);
            assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_HELD);
            assertThat(refusal).hasMessageContaining("process 1");
        }
        assertThat(open().read().isEmpty()).isFalse();
    }

    @Test
    void showsTheStateWhileItIsHeld() {
        try (FileStateStore store = born()) {
            assertThat(FileStateStore.show(options(disk, STATE_DIR))).isEqualTo(store.read());
        }
    }

    @Test
    void readsAStateDirectoryThatIsNotThereAsEmpty() {
        assertThat(FileStateStore.show(options(disk, STATE_DIR))).isEqualTo(Checkpoint.EMPTY);
        try (FileStateStore store = open()) {
            assertThat(store.read()).isEqualTo(Checkpoint.EMPTY);
        }
    }

    @Test
    void neverTakesAnUnreadableDirectoryForAnEmptyOne() {
        for (DiskCall kind : List.of(DiskCall.LIST, DiskCall.OPEN, DiskCall.READ, DiskCall.SIZE)) {
            born().close();
            disk.fail(kind);
            TidegateException failure = catchThrowableOfType(TidegateException.class, this::open);
            assertThat(failure).as("%s fails", kind).isNotNull();
            assertThat(failure.code()).isEqualTo(ErrorCode.STATE_WRITE);
            disk.mend();
            FileStateStore.reset(disk, STATE_DIR, "orders", "process 2");
        }
    }

    @Test
    void setsTheStateAsideAndSaysWhere() throws IOException {
        born().close();
        born2();
        List<Path> aside = FileStateStore.reset(disk, STATE_DIR, "orders", "process 2");
        assertThat(aside)
                .containsExactly(
                        STATE_DIR.resolve("orders/state-0000000001.log.reset-1"),
                        STATE_DIR.resolve("orders/state-0000000002.log.reset-1"));
        for (Path file : aside) {
            assertThat(disk.exists(file)).isTrue();
        }
        try (FileStateStore store = open()) {
            assertThat(store.read()).isEqualTo(Checkpoint.EMPTY);
        }
        born().close();
        assertThat(FileStateStore.reset(disk, STATE_DIR, "orders", "process 2"))
                .containsExactly(STATE_DIR.resolve("orders/state-0000000001.log.reset-2"));
    }

    private void born2() {
        try (FileStateStore store = open()) {
            assertThat(store.read().isEmpty()).isFalse();
        }
    }

    @Test
    void hasTheNewestStateOrNoneWhenPowerIsLostWhileItIsSetAside() {
        for (long seed = 0; seed < 20; seed++) {
            for (long n = 1; n < 20; n++) {
                SimulatedDisk first = new SimulatedDisk(new SplittableRandom(seed));
                Checkpoint newest;
                try (FileStateStore store = FileStateStore.open(options(first, STATE_DIR), "me")) {
                    Writes.birth().to(store);
                }
                try (FileStateStore store = FileStateStore.open(options(first, STATE_DIR), "me")) {
                    store.progress(List.of(), List.of(new SplitProgress("chunk-1", at(9), true)));
                    newest = store.read();
                }
                first.dieAtCall(first.calls() + n);
                boolean isReset = catchThrowableOfType(
                                TidegateException.class, () -> FileStateStore.reset(first, STATE_DIR, "orders", "me"))
                        == null;
                Checkpoint found = FileStateStore.show(options(first.crash(), STATE_DIR));
                assertThat(found).as("seed %s, call %s", seed, n).isIn(newest, Checkpoint.EMPTY);
                assertThat(found.isEmpty() || !isReset).isTrue();
            }
        }
    }

    @Test
    void hasNoStateAfterItWasSetAsideByASecondAttempt() {
        for (DiskFault fault : List.of(DiskFault.REFUSED, DiskFault.LANDED)) {
            for (long seed = 0; seed < 20; seed++) {
                for (long n = 1; n < 12; n++) {
                    SimulatedDisk failing = new SimulatedDisk(new SplittableRandom(seed));
                    try (FileStateStore store = FileStateStore.open(options(failing, STATE_DIR), "me")) {
                        Writes.birth().to(store);
                    }
                    failing.failAtCall(failing.calls() + n, fault);
                    Runnable reset = () -> FileStateStore.reset(failing, STATE_DIR, "orders", "me");
                    if (catchThrowableOfType(TidegateException.class, reset::run) != null) {
                        reset.run();
                    }
                    assertThat(FileStateStore.show(options(failing.crash(), STATE_DIR)))
                            .as("%s at call %s, seed %s", fault, n, seed)
                            .isEqualTo(Checkpoint.EMPTY);
                }
            }
        }
    }

    @Test
    void confirmsNothingIntoAFileThatSomebodyRemoved() throws IOException {
        try (FileStateStore store = born()) {
            disk.delete(STATE_DIR.resolve("orders/state-0000000001.log"));
            Consumer<StateStore> write = progress(new SplitProgress("chunk", at(20), true));
            TidegateException failure = catchThrowableOfType(TidegateException.class, () -> write.accept(store));
            assertThat(failure.code()).isEqualTo(ErrorCode.STATE_WRITE);
            write.accept(store);
            assertThat(store.read().splits())
                    .extracting(s -> s.progress().done())
                    .containsExactly(true, false);
            assertThat(FileStateStore.show(options(disk, STATE_DIR))).isEqualTo(store.read());
        }
    }

    @Test
    void importsAStateOnlyWhereThereIsNone() {
        Checkpoint elsewhere = Writes.birth().after(Checkpoint.EMPTY);
        try (FileStateStore store = open()) {
            store.importState(elsewhere);
            TidegateException refusal =
                    catchThrowableOfType(TidegateException.class, () -> store.importState(elsewhere));
            assertThat(refusal).hasMessageContaining("has a state already");
        }
        try (FileStateStore store = open()) {
            assertThat(store.read()).isEqualTo(elsewhere);
        }
    }

    @Test
    void keepsAStateOnARealDiskToo(@TempDir Path dir) throws IOException {
        Path stateDir = dir.resolve("a/b");
        StoreLives lives = new StoreLives(new SplittableRandom(5));
        FileStateStore.Options real = options(new RealDisk(), stateDir);
        for (int life = 0; life < 3; life++) {
            lives.live(real, 30, false);
        }
        lives.check(real);
        assertThat(new RealDisk().list(stateDir.resolve("orders")))
                .containsExactly("lock", "state-0000000003.log", "state-0000000004.log");
    }
}
