package io.tidegate.server.cli;

import io.tidegate.spi.Finding;
import java.io.PrintWriter;
import java.util.List;

/** Prints the findings of a preflight for people: what, and on lines of its own what mends it. */
final class Findings {

    private Findings() {}

    static void print(List<Finding> findings, PrintWriter out) {
        for (Finding finding : findings) {
            out.println(finding.severity() + " " + finding.code().code() + " " + finding.object() + ": "
                    + finding.problem());
            if (!finding.cure().isEmpty()) {
                finding.cure().lines().forEach(line -> out.println("    " + line));
            }
        }
    }

    static boolean failed(List<Finding> findings) {
        return findings.stream().anyMatch(finding -> finding.severity() == Finding.Severity.ERROR);
    }
}
