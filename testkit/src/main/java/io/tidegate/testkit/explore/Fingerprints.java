package io.tidegate.testkit.explore;

/** A set of digests, open addressing in one array: eight bytes a state, sixteen at most. */
final class Fingerprints {

    private long[] table = new long[1 << 14];
    private int size;

    /** False: it was there. */
    boolean add(long digest) {
        long key = digest == 0 ? 1 : digest; // 0 marks an empty place
        if (size * 2 > table.length) {
            grow();
        }
        if (!put(table, key)) {
            return false;
        }
        size++;
        return true;
    }

    int size() {
        return size;
    }

    private void grow() {
        long[] wider = new long[table.length * 2];
        for (long key : table) {
            if (key != 0) {
                put(wider, key);
            }
        }
        table = wider;
    }

    private static boolean put(long[] table, long key) {
        int mask = table.length - 1;
        int i = (int) (key >>> 17) & mask;
        while (table[i] != 0) {
            if (table[i] == key) {
                return false;
            }
            i = i + 1 & mask;
        }
        table[i] = key;
        return true;
    }
}
