package io.tidegate.bench.jdbc;

import io.tidegate.spi.Op;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Changes of a table in their order, and what the table holds before and after. They follow from kind, count and seed. Rows
 * have keys from 1 on; the version of a row counts its changes.
 */
public final class TargetChanges {

    private static final int HOT_ROWS = 100;
    private static final int GONE = -1;

    /** What happens to the table. */
    public enum Kind {
        /** Into an empty table, by rising keys. */
        INSERTS,
        /** Of each row of a full table, all columns but the key, in any order. */
        UPDATES,
        /** Of each row of a full table, in any order. */
        DELETES,
        /**
         * To a full table: of ten changes eight updates, an insert and a delete. One change in ten is of a few rows, which so
         * change many times; half of the inserts bring back a row that was deleted.
         */
        MIX;

        /** As a command line names it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Kind of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    private final int filled;
    private final Op[] ops;
    private final int[] ids;
    private final int[] versions;
    /** By key. */
    private final int[] outcome;

    private TargetChanges(int filled, int count) {
        this.filled = filled;
        this.ops = new Op[count];
        this.ids = new int[count];
        this.versions = new int[count];
        this.outcome = new int[filled + count + 1];
        Arrays.fill(outcome, GONE);
        Arrays.fill(outcome, 1, filled + 1, 0);
    }

    /** So many changes. */
    public static TargetChanges of(Kind kind, int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TargetChanges changes = new TargetChanges(kind == Kind.INSERTS ? 0 : count, count);
        switch (kind) {
            case INSERTS -> {
                for (int i = 0; i < count; i++) {
                    changes.set(i, Op.CREATE, i + 1, 0);
                }
            }
            case UPDATES -> changes.each(Op.UPDATE, random);
            case DELETES -> changes.each(Op.DELETE, random);
            case MIX -> changes.mix(random);
        }
        return changes;
    }

    private void each(Op op, SplittableRandom random) {
        int[] keys = new int[size()];
        for (int i = 0; i < keys.length; i++) {
            int other = random.nextInt(i + 1);
            keys[i] = keys[other];
            keys[other] = i + 1;
        }
        for (int i = 0; i < keys.length; i++) {
            set(i, op, keys[i], 1);
        }
    }

    private void mix(SplittableRandom random) {
        int[] last = new int[outcome.length]; // the version that each key had last, also when its row was deleted
        int[] living = new int[outcome.length];
        int[] deleted = new int[outcome.length];
        int livingCount = filled;
        int deletedCount = 0;
        int next = filled + 1;
        for (int i = 0; i < filled; i++) {
            living[i] = i + 1;
        }
        for (int i = 0; i < size(); i++) {
            int dice = random.nextInt(10);
            if (dice == 0 || livingCount == 0) {
                int id = deletedCount > 0 && random.nextBoolean() ? deleted[--deletedCount] : next++;
                living[livingCount++] = id;
                set(i, Op.CREATE, id, ++last[id]);
                continue;
            }
            int at = random.nextInt(random.nextInt(10) == 0 ? Math.min(HOT_ROWS, livingCount) : livingCount);
            int id = living[at];
            if (dice == 1) {
                living[at] = living[--livingCount];
                deleted[deletedCount++] = id;
                set(i, Op.DELETE, id, ++last[id]);
            } else {
                set(i, Op.UPDATE, id, ++last[id]);
            }
        }
    }

    private void set(int index, Op op, int id, int version) {
        ops[index] = op;
        ids[index] = id;
        versions[index] = version;
        outcome[id] = op == Op.DELETE ? GONE : version;
    }

    public int size() {
        return ops.length;
    }

    /** Insert, update or delete. */
    public Op op(int index) {
        return ops[index];
    }

    public int id(int index) {
        return ids[index];
    }

    /** The version that the row has then. */
    public int version(int index) {
        return versions[index];
    }

    /** Rows that the table holds before, with keys from 1 on, of version 0. */
    public int filled() {
        return filled;
    }

    /** Takes rows in the order of their keys. */
    public interface RowVisitor {
        void row(int id, int version);
    }

    /** Gives each row that the table must hold after all changes. */
    public void outcome(RowVisitor visitor) {
        for (int id = 1; id < outcome.length; id++) {
            if (outcome[id] != GONE) {
                visitor.row(id, outcome[id]);
            }
        }
    }
}
