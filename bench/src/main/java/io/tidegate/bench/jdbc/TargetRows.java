package io.tidegate.bench.jdbc;

import io.tidegate.connector.postgres.value.PgType;
import io.tidegate.connector.postgres.value.RelationShape;
import io.tidegate.connector.postgres.value.RelationShape.ColumnShape;
import io.tidegate.connector.postgres.value.TableShape;
import io.tidegate.connector.postgres.value.TextRow;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The rows of the table that is written to: about 190 bytes each in the table. What a row holds follows from its key and its
 * version, which counts the row's changes; so each writer makes the same rows, and the table can be compared with them.
 */
public final class TargetRows {

    /** The table's name. */
    public static final String TABLE = "t";

    /** Its columns, of which the first is the key. */
    public static final List<String> COLUMNS = List.of("id", "a", "b", "c", "d");

    private static final String DEFINITION = "(id bigint PRIMARY KEY, a int, b timestamptz, c numeric(12,2), d text)";

    private static final int TEXT_LENGTH = 128;
    private static final int NUMERIC_12_2 = (12 << 16 | 2) + 4;
    private static final int TABLE_OID = 16_400;
    private static final int MICROS_PER_SECOND = 1_000_000;
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final SplittableRandom seeds;
    private final TableShape shape;

    /** One row, as the server prints its columns in UTC. */
    public record Texts(String id, String a, String b, String c, String d) {
        List<String> all() {
            return List.of(id, a, b, c, d);
        }
    }

    /** Knows the rows that follow from the seed. */
    public TargetRows(long seed) {
        this.seeds = new SplittableRandom(seed);
        this.salt = seeds.nextLong();
        this.shape = TableShape.of(relation(), TargetRows::type, 1);
    }

    private final long salt;

    /** The statement that makes a table for the rows. */
    public static String create(String name) {
        return "CREATE TABLE " + name + " " + DEFINITION;
    }

    private static RelationShape relation() {
        List<ColumnShape> columns = List.of(
                new ColumnShape("id", 20, -1),
                new ColumnShape("a", 23, -1),
                new ColumnShape("b", 1184, -1),
                new ColumnShape("c", 1700, NUMERIC_12_2),
                new ColumnShape("d", 25, -1));
        return new RelationShape(TABLE_OID, "public", TABLE, columns, List.of(0));
    }

    private static PgType type(int oid, int typmod) {
        String display = switch (oid) {
            case 20 -> "bigint";
            case 23 -> "integer";
            case 1184 -> "timestamp with time zone";
            case 1700 -> "numeric(12,2)";
            case 25 -> "text";
            default -> throw new IllegalArgumentException("no column has the type " + oid);
        };
        return new PgType(oid, display, display, PgType.Kind.BASE, 0, ',');
    }

    /** The table as the PostgreSQL source describes it. */
    public TableShape shape() {
        return shape;
    }

    /** The texts of a row. */
    public Texts texts(long id, int version) {
        SplittableRandom random = new SplittableRandom(salt ^ (id << 20) ^ version);
        StringBuilder time = new StringBuilder("2024-");
        two(time, 1 + random.nextInt(12)).append('-');
        two(time, 1 + random.nextInt(28)).append(' ');
        two(time, random.nextInt(24)).append(':');
        two(time, random.nextInt(60)).append(':');
        two(time, random.nextInt(60)).append('.');
        // the server prints no zeros at the end of a fraction
        int micros = random.nextInt(MICROS_PER_SECOND / 10) * 10 + 1 + random.nextInt(9);
        time.append(Integer.toString(MICROS_PER_SECOND + micros), 1, 7).append("+00");
        StringBuilder amount =
                new StringBuilder().append(random.nextInt(10_000_000)).append('.');
        two(amount, random.nextInt(100));
        byte[] text = new byte[TEXT_LENGTH];
        for (int i = 0; i < TEXT_LENGTH; i += 16) {
            long bits = random.nextLong();
            for (int j = 0; j < 16; j++) {
                text[i + j] = DIGITS[(int) (bits >>> (4 * j)) & 0xF];
            }
        }
        return new Texts(
                Long.toString(id),
                Integer.toString(random.nextInt()),
                time.toString(),
                amount.toString(),
                new String(text, StandardCharsets.ISO_8859_1));
    }

    private static StringBuilder two(StringBuilder out, int number) {
        return out.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
    }

    /** A row as the PostgreSQL source gives it. */
    TextRow row(long id, int version) {
        List<String> texts = texts(id, version).all();
        byte[] data = String.join("", texts).getBytes(StandardCharsets.ISO_8859_1);
        int[] offsets = new int[texts.size()];
        int[] lengths = new int[texts.size()];
        int at = 0;
        for (int i = 0; i < lengths.length; i++) {
            offsets[i] = at;
            lengths[i] = texts.get(i).length();
            at += lengths[i];
        }
        return shape.row(data, offsets, lengths);
    }

    /** What the source gives of a row that was deleted: its key. */
    TextRow keyRow(long id) {
        byte[] data = Long.toString(id).getBytes(StandardCharsets.ISO_8859_1);
        int[] lengths = {data.length, TextRow.ABSENT, TextRow.ABSENT, TextRow.ABSENT, TextRow.ABSENT};
        return shape.row(data, new int[lengths.length], lengths);
    }

    /** Writes a row as a line of {@code COPY}'s text form. */
    void line(long id, int version, ByteArrayOutputStream out) {
        out.writeBytes(String.join("\t", texts(id, version).all()).getBytes(StandardCharsets.ISO_8859_1));
        out.write('\n');
    }
}
