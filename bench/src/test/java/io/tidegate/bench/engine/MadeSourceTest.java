package io.tidegate.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Position;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitReader;
import io.tidegate.testkit.fake.NumberPositions;
import io.tidegate.testkit.fake.Numbered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class MadeSourceTest {

    private final Change[] made = {Numbered.change("a", 0), Numbered.change("a", 1), Numbered.change("a", 2)};
    private final CountDownLatch opened = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final Taken out = new Taken();

    private static final class Taken implements ChangeOutput {
        private final List<Change> changes = new ArrayList<>();
        private final List<Position> positions = new ArrayList<>();
        private int room = Integer.MAX_VALUE;

        @Override
        public void change(Change change, Position resume) {
            changes.add(change);
            positions.add(resume);
        }

        @Override
        public void marker(Position position) {
            throw new AssertionError("it has none");
        }

        @Override
        public void planned(List<SplitPlan> plans) {
            throw new AssertionError("it finds none");
        }

        @Override
        public boolean full() {
            return changes.size() >= room;
        }
    }

    private SourceSession session(int changes) {
        return new MadeSource(made, 2, changes, opened, go).open(null);
    }

    private SplitReader reader(int changes, int from) throws InterruptedException {
        return session(changes).open(new SplitPlan("split0", List.of(), at(0), ""), at(from));
    }

    private static Position at(int place) {
        return new NumberPositions.Place(place);
    }

    @Test
    void hasAsManySplitsAsAskedForAndEndsWithThem() throws InterruptedException {
        assertThat(session(1).prepare(Checkpoint.EMPTY))
                .isInstanceOfSatisfying(
                        Preparation.Write.class,
                        write -> assertThat(write.step().add()).hasSize(2));
    }

    @Test
    void readsNothingBeforeAllMayBegin() throws InterruptedException {
        SplitReader reader = reader(3, 0);
        assertThat(opened.getCount()).isZero();
        assertThat(reader.poll(out, Duration.ZERO)).isEqualTo(SplitReader.State.DRY);
        go.countDown();
        assertThat(reader.poll(out, Duration.ZERO)).isEqualTo(SplitReader.State.FINISHED);
        assertThat(out.changes).containsExactly(made);
    }

    @Test
    void claimsAPositionAtTheEndOfEachTransactionAndAtItsOwn() throws InterruptedException {
        go.countDown();
        assertThat(reader(1_200, 0).poll(out, Duration.ZERO)).isEqualTo(SplitReader.State.FINISHED);
        assertThat(out.changes).hasSize(1_200);
        assertThat(out.positions.stream().filter(Objects::nonNull)).containsExactly(at(500), at(1_000), at(1_200));
        assertThat(out.positions.indexOf(at(500))).isEqualTo(499);
    }

    @Test
    void pausesWhenThereIsNoRoomAndGoesOnBehindIt() throws InterruptedException {
        go.countDown();
        out.room = 2;
        SplitReader reader = reader(4, 1);
        assertThat(reader.poll(out, Duration.ZERO)).isEqualTo(SplitReader.State.MORE);
        assertThat(out.changes).containsExactly(made[1], made[2]);
        out.room = 9;
        assertThat(reader.poll(out, Duration.ZERO)).isEqualTo(SplitReader.State.FINISHED);
        assertThat(out.changes).containsExactly(made[1], made[2], made[0]);
    }
}
