package io.tidegate.connector.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.jdbc.ChangeGroup.TableOutcome;
import io.tidegate.connector.jdbc.RowChange.Kind;
import io.tidegate.connector.jdbc.RowChange.Tracked;
import io.tidegate.connector.jdbc.TargetColumn.Limits;
import io.tidegate.spi.Batch;
import io.tidegate.spi.TableSchema;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes of the rows of a group, and what does not fit into one. */
class ChangeGroupTest {

    private static final TableSchema SOURCE = Changes.table("t", 1, "id integer", "a text", "b text");
    private static final Object UNKNOWN = RowChange.UNKNOWN;

    private final Batch batch = new Changes().batch(new Changes().insert(SOURCE, 1, "a", "b"));
    private final TargetTable table = target("t", true, false);
    private final ChangeGroup group = new ChangeGroup();

    private static TargetTable target(String name, boolean exact, boolean cascades, TableName... parents) {
        List<TargetColumn> columns = List.of(column("id"), column("a"), column("b"));
        return new TargetTable(
                new TableName("public", name),
                columns,
                List.of(0),
                new TargetTable.Facts(exact, false, cascades, false, Set.of(parents)));
    }

    private static TargetColumn column(String name) {
        return new TargetColumn(name, "text", "text", TargetColumn.Kind.TEXT, Limits.NONE, true, true);
    }

    private RowChange change(TargetTable of, Kind kind, Object... image) {
        Object[] key = {image[0]};
        return new RowChange(new Tracked(batch, 0), of, kind, key, key, kind == Kind.REMOVE ? new Object[0] : image);
    }

    private void add(Kind kind, Object... image) {
        RowChange change = change(table, kind, image);
        assertThat(group.fits(change)).isTrue();
        group.add(change);
    }

    private TableOutcome outcome() {
        return group.parentsFirst().get(0);
    }

    @Test
    void ofTheChangesOfOneRowOnlyTheOutcomeIsWritten() {
        add(Kind.PUT, "1", "x", "y");
        add(Kind.PATCH, "1", "z", UNKNOWN);
        add(Kind.PUT, "2", "x", "y");
        add(Kind.REMOVE, "2");
        assertThat(outcome().images(false).get(List.of(0, 1, 2))).containsExactly(new Object[] {"1", "z", "y"});
        assertThat(outcome().images(true)).isEmpty();
        assertThat(outcome().removed()).containsExactly(new Object[] {"2"});
    }

    /** Else columns that only the target has would keep what the deleted row had. */
    @Test
    void aRowThatIsDeletedAndInsertedAgainIsRemovedFirst() {
        add(Kind.REMOVE, "1");
        add(Kind.PUT, "1", "x", "y");
        add(Kind.PATCH, "1", UNKNOWN, "z");
        assertThat(outcome().removed()).containsExactly(new Object[] {"1"});
        assertThat(outcome().images(false).get(List.of(0, 1, 2))).containsExactly(new Object[] {"1", "x", "z"});
    }

    @Test
    void partialUpdatesOfOneRowAddUpAndStayPartial() {
        add(Kind.PATCH, "1", "x", UNKNOWN);
        add(Kind.PATCH, "1", "y", UNKNOWN);
        add(Kind.PATCH, "2", UNKNOWN, "z");
        Map<List<Integer>, List<Object[]>> patches = outcome().images(true);
        assertThat(patches.get(List.of(0, 1))).containsExactly(new Object[] {"1", "y", UNKNOWN});
        assertThat(patches.get(List.of(0, 2))).containsExactly(new Object[] {"2", UNKNOWN, "z"});
    }

    @Test
    void aPartialUpdateOfADeletedRowIsSeenByItself() {
        add(Kind.REMOVE, "1");
        assertThat(group.fits(change(table, Kind.PATCH, "1", "x", UNKNOWN))).isFalse();
        assertThat(group.fits(change(table, Kind.PATCH, "2", "x", UNKNOWN))).isTrue();
    }

    @Test
    void keyChangesAndKeysThatCannotBeComparedHereGoAlone() {
        add(Kind.PUT, "1", "x", "y");
        assertThat(group.fits(change(table, Kind.REKEY, "1", "x", "y"))).isFalse();
        RowChange inexact = change(target("n", false, false), Kind.PUT, "1", "x", "y");
        assertThat(group.fits(inexact)).isFalse();
        ChangeGroup own = new ChangeGroup();
        own.add(inexact);
        assertThat(own.alone()).isTrue();
    }

    @Test
    void removalsThatChangeOtherRowsStayInTheirPlace() {
        TargetTable cascading = target("c", true, true);
        add(Kind.PUT, "1", "x", "y");
        assertThat(group.fits(change(cascading, Kind.REMOVE, "1"))).isFalse();
        ChangeGroup own = new ChangeGroup();
        own.add(change(cascading, Kind.REMOVE, "1"));
        assertThat(own.fits(change(cascading, Kind.REMOVE, "2"))).isTrue();
        assertThat(own.fits(change(table, Kind.PUT, "1", "x", "y"))).isFalse();
    }

    @Test
    void anotherVersionOfATableBeginsAnotherGroup() {
        add(Kind.PUT, "1", "x", "y");
        assertThat(group.fits(change(target("t", true, false), Kind.PUT, "2", "x", "y")))
                .isFalse();
    }

    @Test
    void parentsComeBeforeThoseThatNameThemAndCirclesEnd() {
        TableName a = new TableName("public", "a");
        TableName b = new TableName("public", "b");
        group.add(change(target("b", true, false, a), Kind.PUT, "1", "x", "y"));
        group.add(change(target("a", true, false, b), Kind.PUT, "1", "x", "y"));
        group.add(change(target("z", true, false), Kind.PUT, "1", "x", "y"));
        assertThat(group.parentsFirst().stream()
                        .map(one -> one.table.name().name())
                        .toList())
                .containsExactly("a", "b", "z");
    }
}
