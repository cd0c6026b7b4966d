package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.postgres.SharedPostgres;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that consist of others: what is given under whose name, and with whose identity. */
class PartitionsIT {

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void aPartitionWithAnotherIdentityThanItsRootGivesNoFalseNullsAndLosesNothing(int version) throws Exception {
        try (Shop shop = new Shop(
                version,
                "CREATE TABLE p (id int PRIMARY KEY, v text, w text) PARTITION BY RANGE (id)",
                "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)",
                "CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20) PARTITION BY RANGE (id)",
                "CREATE TABLE p3 PARTITION OF p2 FOR VALUES FROM (10) TO (20)",
                "ALTER TABLE p REPLICA IDENTITY FULL",
                "ALTER TABLE p1 REPLICA IDENTITY FULL",
                "CREATE TABLE q (id int PRIMARY KEY, v text, w text) PARTITION BY RANGE (id)",
                "CREATE TABLE q1 PARTITION OF q FOR VALUES FROM (0) TO (10)",
                "ALTER TABLE q1 REPLICA IDENTITY FULL, ALTER w SET STORAGE EXTERNAL",
                "INSERT INTO p VALUES (1, NULL, 'a'), (11, 'b', NULL)",
                "INSERT INTO q VALUES (1, 'a', repeat('x', 5000))")) {
            assertThat(shop.after(
                            "UPDATE p SET v = 'c'",
                            "UPDATE p SET id = 13 WHERE id = 11",
                            "UPDATE p SET id = 2 WHERE id = 13",
                            "DELETE FROM p",
                            "UPDATE q SET v = 'b'"))
                    .containsExactly(
                            "u public.p [id] -id=1 w=a +id=1 v=c w=a",
                            "u public.p [id] +id=11 v=c w=NULL",
                            "u public.p [id] -id=11 +id=13 v=c w=NULL",
                            "d public.p [id] -id=13",
                            "c public.p [id] +id=2 v=c w=NULL",
                            "d public.p [id] -id=1 v=c w=a",
                            "d public.p [id] -id=2 v=c",
                            "u public.q [id] -id=1 +id=1 v=b w=<5000>");
            assertThat(shop.after(
                            "ALTER TABLE p3 REPLICA IDENTITY FULL",
                            "INSERT INTO p VALUES (12, NULL, 'x')",
                            "DELETE FROM p"))
                    .as("with all partitions FULL a null is a null")
                    .containsExactly("c public.p [id] +id=12 v=NULL w=x", "d public.p [id] -id=12 v=NULL w=x");
        }
    }

    @Test
    void partitionsComeAndGoUnderTheNameOfTheirRoot() throws Exception {
        try (Shop shop = new Shop(
                SharedPostgres.version(17).fresh(),
                List.of("tables", "p the_end"),
                "CREATE TABLE p (id int, v text, PRIMARY KEY (id)) PARTITION BY RANGE (id)",
                "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)",
                "CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20)",
                "INSERT INTO p VALUES (1, 'a'), (11, 'b')",
                "CREATE TABLE p3 (v text, gone int, id int NOT NULL)",
                "INSERT INTO p3 VALUES ('before', 0, 21)")) {
            assertThat(shop.given())
                    .containsExactlyInAnyOrder("r public.p [id] +id=1 v=a", "r public.p [id] +id=11 v=b");
            assertThat(shop.after(
                            "INSERT INTO p3 VALUES ('not yet', 0, 22)",
                            "ALTER TABLE p3 DROP COLUMN gone",
                            "ALTER TABLE p ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30)",
                            "INSERT INTO p3 VALUES ('leaf', 23)",
                            "UPDATE p SET v = 'c' WHERE id = 23",
                            "UPDATE p SET id = 24 WHERE id = 1",
                            "TRUNCATE p2",
                            "ALTER TABLE p DETACH PARTITION p3",
                            "INSERT INTO p3 VALUES ('gone', 25)",
                            "TRUNCATE p"))
                    .containsExactly(
                            "c public.p [id] +id=23 v=leaf",
                            "u public.p [id] +id=23 v=c",
                            "d public.p [id] -id=1",
                            "c public.p [id] +id=24 v=a",
                            "t public.p [id]");
            assertThat(shop.session().tend()).isEmpty();
        }
    }

    @Test
    void aTableThatInheritsIsATableOfItsOwnAndAPartitionCanBeReadByItself() throws Exception {
        try (Shop shop = new Shop(
                SharedPostgres.version(17).fresh(),
                List.of("tables", "parent p1 the_end"),
                "CREATE TABLE parent (id int PRIMARY KEY, v text)",
                "CREATE TABLE child (w text) INHERITS (parent)",
                "CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id)",
                "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)",
                "CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20)",
                "INSERT INTO p VALUES (1), (11)",
                "INSERT INTO parent VALUES (1, 'a')",
                "INSERT INTO child VALUES (1, 'b', 'c')")) {
            assertThat(shop.given())
                    .containsExactlyInAnyOrder("r public.parent [id] +id=1 v=a", "r public.p1 [id] +id=1");
            assertThat(shop.after(
                            "UPDATE parent SET v = 'd'",
                            "DELETE FROM child",
                            "INSERT INTO p VALUES (2), (12)",
                            "UPDATE p SET id = 13 WHERE id = 1",
                            "UPDATE p SET id = 3 WHERE id = 11"))
                    .containsExactly(
                            "u public.parent [id] +id=1 v=d",
                            "c public.p1 [id] +id=2",
                            "d public.p1 [id] -id=1",
                            "c public.p1 [id] +id=3");
        }
    }
}
