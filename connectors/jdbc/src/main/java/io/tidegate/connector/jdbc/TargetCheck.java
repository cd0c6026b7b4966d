package io.tidegate.connector.jdbc;

import io.tidegate.spi.Finding;
import java.util.List;

/** The preflight of a target. */
record TargetCheck(JdbcConfig config, Dialect dialect) {
    List<Finding> run() {
        return List.of();
    }
}
