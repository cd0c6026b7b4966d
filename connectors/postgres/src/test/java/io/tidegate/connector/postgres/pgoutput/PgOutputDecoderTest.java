package io.tidegate.connector.postgres.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.log.TakenOutput;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.value.FixedTypes;
import io.tidegate.connector.postgres.value.Seen;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PgOutputDecoderTest {

    private static final TableFilter ALL = new TableFilter(oid -> true, oid -> null, prefix -> false);

    private final TakenOutput out = new TakenOutput(Integer.MAX_VALUE);
    private KeyCatalogue.Identity identity = KeyCatalogue.Identity.NONE;

    private PgOutputDecoder decoder(TableFilter filter, long from) {
        return new PgOutputDecoder(new FixedTypes(), oid -> identity, filter, CatchUp.none(), new Lsn(from));
    }

    /** Builds a message. */
    private interface Body {
        void write(DataOutputStream to) throws IOException;
    }

    private static byte[] bytes(int kind, Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream to = new DataOutputStream(bytes)) {
            to.writeByte(kind);
            body.write(to);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream to, String text) throws IOException {
        to.write(text.getBytes(StandardCharsets.UTF_8));
        to.writeByte(0);
    }

    private static byte[] begin(long commit) {
        return bytes('B', to -> {
            to.writeLong(commit);
            to.writeLong(1_000_000);
            to.writeInt(-1);
        });
    }

    private static byte[] commit(long commit, long end) {
        return bytes('C', to -> {
            to.writeByte(0);
            to.writeLong(commit);
            to.writeLong(end);
            to.writeLong(1_000_000);
        });
    }

    /** Columns are int4, named; a star marks one as part of the identity. */
    private static byte[] relation(int oid, int identity, String... columns) {
        return bytes('R', to -> {
            to.writeInt(oid);
            text(to, "s");
            text(to, "t" + oid);
            to.writeByte(identity);
            to.writeShort(columns.length);
            for (String column : columns) {
                to.writeByte(column.startsWith("*") ? 1 : 0);
                text(to, column.replace("*", ""));
                to.writeInt(23);
                to.writeInt(-1);
            }
        });
    }

    /** A tuple's columns: {@code n}, {@code u}, or digits. */
    private static void tuple(DataOutputStream to, int part, String... columns) throws IOException {
        to.writeByte(part);
        to.writeShort(columns.length);
        for (String column : columns) {
            if (column.equals("n") || column.equals("u")) {
                to.writeByte(column.charAt(0));
            } else {
                to.writeByte('t');
                to.writeInt(column.length());
                to.writeBytes(column);
            }
        }
    }

    private static byte[] insert(int oid, String... columns) {
        return bytes('I', to -> {
            to.writeInt(oid);
            tuple(to, 'N', columns);
        });
    }

    private void feed(PgOutputDecoder decoder, byte[]... messages) {
        for (byte[] message : messages) {
            // in the middle of a larger array that is written over afterwards, as a socket's buffer is
            byte[] shared = new byte[message.length + 20];
            System.arraycopy(message, 0, shared, 10, message.length);
            decoder.decode(shared, 10, message.length, false, new Lsn(7), out);
            java.util.Arrays.fill(shared, (byte) '9');
        }
    }

    private List<String> positions() {
        return out.changes().stream().map(c -> c.origin().position()).toList();
    }

    @Test
    void givesATransactionAndItsEndAsAMarker() {
        feed(decoder(ALL, 50), begin(100), relation(1, 'd', "*a", "b"), insert(1, "5", "n"), commit(100, 120));
        Change change = out.changes().get(0);
        assertThat(change.origin().position()).isEqualTo("0/64#1");
        assertThat(change.origin().committedAtMicros()).isEqualTo(946_684_801_000_000L);
        assertThat(change.table().key()).containsExactly(0);
        assertThat(Seen.of(java.util.Objects.requireNonNull(change.after()), 0)).isEqualTo("int:5");
        assertThat(out.markers()).containsExactly(new Lsn(120));
    }

    @Test
    void comparesTransactionsByTheirCommitLsnOnly() {
        PgOutputDecoder decoder = decoder(ALL, 100);
        feed(decoder, begin(99), relation(1, 'd', "*a"), insert(1, "1"), commit(99, 100));
        assertThat(out.changes()).isEmpty();
        assertThat(out.markers()).isEmpty();
        feed(decoder, begin(100), insert(1, "2"), commit(100, 110), begin(110), insert(1, "3"), commit(110, 115));
        assertThat(positions()).containsExactly("0/64#1", "0/6E#1");
    }

    @Test
    void skipsATablesChangesBelowItsSnapshotPointTruncatesIncluded() {
        TableFilter filter = new TableFilter(oid -> true, oid -> oid == 1 ? new Lsn(200) : null, prefix -> false);
        byte[] truncate = bytes('T', to -> {
            to.writeInt(2);
            to.writeByte(0);
            to.writeInt(1);
            to.writeInt(2);
        });
        feed(
                decoder(filter, 0),
                begin(199),
                relation(1, 'd', "*a"),
                relation(2, 'd', "*a"),
                insert(1, "1"),
                truncate,
                commit(199, 200),
                begin(200),
                insert(1, "4"),
                commit(200, 210));
        assertThat(positions()).containsExactly("0/C7#3", "0/C8#1");
        assertThat(out.markers()).containsExactly(new Lsn(200), new Lsn(210));
    }

    @Test
    void numbersWhatTheServerSentBeforeAnyFilter() {
        TableFilter filter = new TableFilter(oid -> oid == 2, oid -> null, prefix -> false);
        feed(
                decoder(filter, 0),
                begin(100),
                relation(1, 'd', "*a"),
                relation(2, 'd', "*a"),
                insert(1, "1"),
                insert(1, "2"),
                insert(2, "3"),
                commit(100, 110));
        assertThat(positions()).containsExactly("0/64#3");
    }

    @Test
    void takesTheKeyOfFullAndNothingFromTheCatalogueEachTime() {
        PgOutputDecoder decoder = decoder(ALL, 0);
        identity = new KeyCatalogue.Identity(List.of("b"), List.of(), true);
        feed(decoder, begin(100), relation(1, 'f', "*a", "*b"), insert(1, "1", "2"));
        feed(decoder, relation(1, 'f', "*a", "*b"), insert(1, "1", "2"));
        identity = new KeyCatalogue.Identity(List.of(), List.of(), true);
        feed(decoder, relation(1, 'f', "*a", "*b"), insert(1, "1", "2"));
        identity = new KeyCatalogue.Identity(List.of("a", "elsewhere"), List.of(), true);
        feed(decoder, relation(2, 'n', "a", "b"), insert(2, "1", "2"));
        feed(decoder, relation(3, 'd', "a", "b"), insert(3, "1", "2"));
        assertThat(out.changes().stream().map(c -> c.table().key()))
                .containsExactly(List.of(1), List.of(1), List.of(), List.of(), List.of());
        assertThat(out.changes().stream().map(c -> c.table().version())).containsExactly(1, 1, 2, 1, 1);
    }

    @Test
    void ignoresKeepalivesInsideATransactionAndBehindThePosition() {
        PgOutputDecoder decoder = decoder(ALL, 100);
        decoder.keepalive(new Lsn(90), out);
        decoder.keepalive(new Lsn(100), out);
        feed(decoder, begin(150));
        decoder.keepalive(new Lsn(150), out);
        assertThat(out.markers()).isEmpty();
        feed(decoder, commit(150, 160));
        decoder.keepalive(new Lsn(170), out);
        assertThat(out.markers()).containsExactly(new Lsn(160), new Lsn(170));
    }

    @Test
    void stopsAtWhatItDoesNotKnow() {
        List<byte[]> unknown = List.of(
                bytes('Z', to -> {}),
                relation(1, 'g', "*a"),
                java.util.Arrays.copyOf(commit(100, 110), commit(100, 110).length + 1),
                insert(9, "1"),
                insert(1, "1", "2"),
                begin(1),
                commit(101, 110),
                bytes('I', to -> to.writeInt(1)),
                bytes('C', to -> to.writeByte(0)),
                bytes('I', to -> {
                    to.writeInt(1);
                    to.writeByte('N');
                    to.writeShort(1);
                    to.writeByte('b');
                }));
        for (byte[] message : unknown) {
            PgOutputDecoder decoder = decoder(ALL, 0);
            feed(decoder, begin(100), relation(1, 'd', "*a"));
            assertThatThrownBy(() -> feed(decoder, message))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_UNKNOWN));
        }
    }

    @Test
    void namesTheReplicationOriginAndTheTransaction() {
        byte[] origin = bytes('O', to -> {
            to.writeLong(3);
            text(to, "elsewhere");
        });
        feed(decoder(ALL, 0), begin(100), origin, relation(1, 'd', "*a"), insert(1, "1"), commit(100, 110));
        List<String> fields = new java.util.ArrayList<>();
        out.changes().get(0).origin().describe(new io.tidegate.spi.Origin.FieldVisitor() {
            @Override
            public void text(String name, String value) {
                fields.add(name + "=" + value);
            }

            @Override
            public void number(String name, long value) {
                fields.add(name + "=" + value);
            }

            @Override
            public void bool(String name, boolean value) {
                fields.add(name + "=" + value);
            }
        });
        assertThat(fields)
                .containsExactly(
                        "tx=4294967295",
                        "lsn=0/7",
                        "commit_lsn=0/64",
                        "number=1",
                        "snapshot=false",
                        "origin=elsewhere");
    }

    private static byte[] delete(int oid, int part, String... columns) {
        return bytes('D', to -> {
            to.writeInt(oid);
            tuple(to, part, columns);
        });
    }

    private List<String> before(int change) {
        io.tidegate.spi.Row row =
                java.util.Objects.requireNonNull(out.changes().get(change).before());
        return List.of(Seen.of(row, 0), Seen.of(row, 1));
    }

    @Test
    void takesANullOfAnOldRowForANullOnlyWhereNullsAreLogged() {
        PgOutputDecoder decoder = decoder(ALL, 0);
        identity = new KeyCatalogue.Identity(List.of("a"), List.of(), true);
        feed(decoder, begin(100), relation(1, 'f', "*a", "*b"), delete(1, 'O', "5", "n"));
        identity = new KeyCatalogue.Identity(List.of("a"), List.of(), false);
        feed(decoder, relation(1, 'f', "*a", "*b"), delete(1, 'O', "5", "n"));
        feed(decoder, relation(2, 'd', "*a", "b"), delete(2, 'K', "n", "5"));
        assertThat(before(0)).containsExactly("int:5", "NULL");
        assertThat(before(1)).containsExactly("int:5", "ABSENT");
        assertThat(before(2)).as("a column of the identity is never null").containsExactly("ABSENT", "ABSENT");
    }

    @Test
    void completesARowFromAnOldOneThatHasMoreThanItsKey() {
        byte[] update = bytes('U', to -> {
            to.writeInt(1);
            tuple(to, 'K', "5", "7");
            tuple(to, 'N', "6", "u");
        });
        feed(decoder(ALL, 0), begin(100), relation(1, 'd', "*a", "b"), update);
        Change change = out.changes().get(0);
        assertThat(Seen.of(java.util.Objects.requireNonNull(change.after()), 1)).isEqualTo("int:7");
        assertThat(before(0)).containsExactly("int:5", "ABSENT");
    }

    @Test
    void callsNoPartOfAKeyAKey() {
        identity = new KeyCatalogue.Identity(List.of("a", "g"), List.of("g"), true);
        feed(decoder(ALL, 0), begin(100), relation(1, 'd', "*a", "b"), insert(1, "1", "2"));
        feed(decoder(ALL, 0), begin(100), relation(1, 'd', "*a", "*g"), insert(1, "1", "2"));
        assertThat(out.changes().stream().map(c -> c.table().key())).containsExactly(List.of(), List.of(0, 1));
    }

    @Test
    void passesOverWhatItWouldNotGiveAndCountsIt() {
        TableFilter filter = new TableFilter(oid -> oid == 2, oid -> null, "ours"::equals);
        PgOutputDecoder decoder = decoder(filter, 0);
        feed(decoder, begin(100), relation(1, 'd', "*a"), relation(2, 'd', "*a"));
        byte[] theirs = message("theirs");
        byte[] ours = message("ours");
        assertThat(decoder.passOver(insert(1, "1"), 0, 6)).isTrue();
        assertThat(decoder.passOver(insert(2, "1"), 0, 6)).isFalse();
        assertThat(decoder.passOver(theirs, 0, theirs.length - 3)).isTrue();
        assertThat(decoder.passOver(theirs, 0, 14))
                .as("the prefix is not whole")
                .isFalse();
        assertThat(decoder.passOver(ours, 0, ours.length)).isFalse();
        assertThat(decoder.passOver(begin(1), 0, 5)).isFalse();
        feed(decoder, insert(2, "1"), ours);
        assertThat(positions()).containsExactly("0/64#3", "0/64#3.3");
    }

    @Test
    void givesMessagesAlsoOfTransactionsWhoseRowsTheSnapshotHas() {
        TableFilter filter = new TableFilter(oid -> true, oid -> new Lsn(200), prefix -> true);
        feed(decoder(filter, 0), begin(100), relation(1, 'd', "*a"), insert(1, "1"), message("m"), commit(100, 110));
        assertThat(positions()).containsExactly("0/64#1.1");
        feed(decoder(filter, 101), begin(100), message("m"), commit(100, 110));
        assertThat(positions()).as("but not of transactions before the start").hasSize(1);
    }

    private static byte[] message(String prefix) {
        return bytes('M', to -> {
            to.writeByte(1);
            to.writeLong(7);
            text(to, prefix);
            to.writeInt(1);
            to.writeByte('x');
        });
    }
}
