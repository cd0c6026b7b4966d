package io.tidegate.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.tidegate.testkit.disk.DiskCall;
import io.tidegate.testkit.disk.DiskEvent;
import io.tidegate.testkit.disk.DiskFault;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** I1, I2, I8, I17: what a store has confirmed is there whatever happens to disk, power and process afterwards. */
class FileStateStoreCrashTest {

    private static final int WRITES = 40;
    private static final int SEEDS = 12;
    private static final List<DiskFault> FAULTS = List.of(DiskFault.values());

    private interface Scenario {
        void run(SimulatedDisk disk, StoreLives lives, SplittableRandom choices);
    }

    private final Map<DiskEvent, Long> events = new EnumMap<>(DiskEvent.class);

    private void play(long seed, String what, Scenario scenario) {
        SplittableRandom choices = new SplittableRandom(seed);
        SimulatedDisk disk = new SimulatedDisk(choices);
        assertThatCode(() -> scenario.run(disk, new StoreLives(choices), choices))
                .as("seed %s, %s", seed, what)
                .doesNotThrowAnyException();
        disk.events().forEach((event, count) -> events.merge(event, count, Long::sum));
    }

    private long callsOfALife(long seed) {
        SplittableRandom choices = new SplittableRandom(seed);
        SimulatedDisk disk = new SimulatedDisk(choices);
        new StoreLives(choices).live(disk, WRITES, true);
        return disk.calls();
    }

    @Test
    void holdsWhatItConfirmedWhenPowerIsLostAtAnyCall() {
        for (long seed = 0; seed < SEEDS; seed++) {
            long calls = callsOfALife(seed);
            for (long n = 1; n <= calls + 1; n++) {
                long dead = n;
                play(seed, "power lost at call " + n, (disk, lives, choices) -> {
                    disk.dieAtCall(dead);
                    lives.live(disk, WRITES, true);
                    SimulatedDisk next = disk.crash();
                    lives.check(next);
                    lives.live(next, WRITES, true);
                    lives.check(next.crash());
                });
            }
        }
        assertThat(events)
                .containsKeys(
                        DiskEvent.CONTENT_LOST,
                        DiskEvent.CONTENT_KEPT,
                        DiskEvent.CONTENT_CUT,
                        DiskEvent.PAGES_LOST,
                        DiskEvent.NAMES_LOST,
                        DiskEvent.NAMES_KEPT);
    }

    @Test
    void holdsWhatItAnsweredWhenTheProcessWasKilledAndPowerIsLostLater() {
        for (long seed = 0; seed < SEEDS; seed++) {
            long calls = callsOfALife(seed);
            for (long n = 1; n <= calls + 1; n++) {
                long dead = n;
                play(seed, "killed at call " + n, (disk, lives, choices) -> {
                    disk.dieAtCall(dead);
                    lives.live(disk, WRITES, true);
                    SimulatedDisk second = disk.kill();
                    lives.live(second, choices.nextInt(2), true);
                    lives.check(second.crash());
                });
            }
        }
    }

    @Test
    void holdsWhatItConfirmedWhenAnyCallFailsAndPowerIsLostLater() {
        for (DiskFault fault : FAULTS) {
            for (long seed = 0; seed < SEEDS / 2; seed++) {
                long calls = callsOfALife(seed);
                for (long n = 1; n <= calls; n++) {
                    long failing = n;
                    play(seed, fault + " at call " + n, (disk, lives, choices) -> {
                        disk.failAtCall(failing, fault);
                        disk.dieAtCall(failing + 1 + choices.nextInt(40));
                        lives.live(disk, WRITES, true);
                        lives.check(disk.crash());
                    });
                }
            }
        }
        assertThat(events).containsKey(DiskEvent.FAULT);
    }

    @Test
    void failsOneCallAtMostWhenTheDiskFailsOnce() {
        for (DiskFault fault : FAULTS) {
            long calls = callsOfALife(3);
            for (long n = 1; n <= calls; n++) {
                long failing = n;
                play(3, fault + " at call " + n, (disk, lives, choices) -> {
                    disk.failAtCall(failing, fault);
                    lives.live(disk, WRITES, false);
                    assertThat(lives.failures()).isLessThanOrEqualTo(1);
                    SimulatedDisk next = disk.kill();
                    lives.live(next, WRITES, true);
                    lives.check(next.crash());
                    assertThat(lives.failures()).isLessThanOrEqualTo(1);
                    assertThat(lives.confirmed().isEmpty()).isFalse();
                });
            }
        }
    }

    @Test
    void holdsWhatItConfirmedThroughLivesFullOfFaults() {
        for (long seed = 1_000; seed < 1_600; seed++) {
            play(seed, "many lives", (first, lives, choices) -> {
                SimulatedDisk disk = first;
                for (int life = 0; life < 12; life++) {
                    for (int faults = choices.nextInt(4); faults > 0; faults--) {
                        disk.failAtCall(1 + choices.nextInt(120), FAULTS.get(choices.nextInt(FAULTS.size())));
                    }
                    if (choices.nextInt(3) == 0) {
                        disk.dieAtCall(1 + choices.nextInt(120));
                    }
                    lives.live(disk, choices.nextInt(40), choices.nextBoolean());
                    disk = choices.nextInt(3) == 0 ? disk.kill() : disk.crash();
                }
                lives.check(disk);
            });
        }
    }

    @Test
    void goesOnWhenAFullDiskHasRoomAgain() {
        for (long capacity = 0; capacity < 4_000; capacity += 37) {
            long bytes = capacity;
            play(capacity, "room for " + capacity, (disk, lives, choices) -> {
                disk.capacity(bytes);
                lives.live(disk, WRITES, false);
                SimulatedDisk next = disk.kill();
                next.capacity(bytes);
                lives.live(next, 10, true);
                SimulatedDisk roomy = next.crash();
                lives.check(roomy);
                lives.live(roomy, WRITES, true);
                lives.check(roomy.crash());
                assertThat(lives.confirmed().isEmpty()).isFalse();
            });
        }
        assertThat(events).containsKey(DiskEvent.OUT_OF_SPACE);
    }

    @Test
    void confirmsNothingWhileEveryForceFailsAndGoesOnWhenItSucceedsAgain() {
        for (DiskCall kind :
                new DiskCall[] {DiskCall.FORCE, DiskCall.FORCE_DIRECTORY, DiskCall.RENAME, DiskCall.DELETE}) {
            for (long seed = 0; seed < 50; seed++) {
                play(seed, kind + " fails", (disk, lives, choices) -> {
                    lives.live(disk, choices.nextInt(20), true);
                    SimulatedDisk broken = disk.kill();
                    broken.fail(kind);
                    lives.live(broken, 10, true);
                    SimulatedDisk next = broken.crash();
                    lives.check(next);
                    lives.live(next, WRITES, true);
                    lives.check(next.crash());
                });
            }
        }
    }
}
