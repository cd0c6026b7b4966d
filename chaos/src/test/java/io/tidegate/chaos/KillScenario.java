package io.tidegate.chaos;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;

/**
 * One place in the life of a pipeline at which its process is killed.
 *
 * @param name names its databases: letters and underscores
 * @param place the end of the sentence "killed …"
 * @param mutant what it must notice
 * @param share how it is run in each build; {@code -Dchaos.all} runs every variation
 * @param body the whole of it, from a new database to the verdict
 */
record KillScenario(String name, String place, EngineMutant mutant, Set<Variation> share, Body body) {

    /** What is done in each variation. */
    interface Body {
        void run(KillRun run) throws SQLException, IOException;
    }
}
