package io.tidegate.spi;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that somebody who mistyped may have meant. */
public final class Nearest {

    private Nearest() {}

    public static Optional<String> of(String typed, Collection<String> known) {
        int farthest = Math.max(2, typed.length() / 3);
        return known.stream()
                .filter(word -> distance(typed, word) <= Math.min(farthest, word.length() - 1))
                .min(Comparator.<String>comparingInt(word -> distance(typed, word))
                        .thenComparing(word -> word));
    }

    /** Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
    private static int distance(String from, String to) {
        int[][] d = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replace = d[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replace, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], 1 + d[i - 2][j - 2]);
                }
            }
        }
        return d[from.length()][to.length()];
    }
}
