package io.tidegate.spi;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a URL leads to, and what a pipeline that reads it would be configured with. Plain data, for {@code init} to show and
 * to write down. Immutable, without secrets.
 *
 * @param place what was found, in one line for people, such as "PostgreSQL 17, database shop at db1:5432, as role cdc"
 * @param settings what has to stand below the connector's name, but for the tables
 * @param tablesKey the key of the list that names the tables
 * @param tables all that there are, in the order of their names
 * @param existing what others have made there for such pipelines, a line for each
 * @param findings what a pipeline of the selected tables lacks, as {@link Source#check} would say
 */
public record Discovery(
        String place,
        List<Entry> settings,
        String tablesKey,
        List<Table> tables,
        List<String> existing,
        List<Finding> findings) {

    public Discovery {
        settings = List.copyOf(settings);
        tables = List.copyOf(tables);
        existing = List.copyOf(existing);
        findings = List.copyOf(findings);
    }

    /**
     * What is asked.
     *
     * @param url as it was given; may hold a password
     * @param password if it is not in the URL
     * @param passwordReference what stands for the password in a file: <code>${env:NAME}</code>
     * @param pipeline the name that the pipeline will have
     * @param tables patterns; empty: all tables
     * @param folder of the file that is to be written
     */
    public record Request(
            String url,
            @Nullable Secret password,
            String passwordReference,
            String pipeline,
            List<String> tables,
            Path folder) {

        public Request {
            tables = List.copyOf(tables);
        }
    }

    /**
     * A setting, as it stands in a file.
     *
     * @param text a reference is written as it is, and a plain <code>${</code> as <code>$${</code>
     * @param active false: shown as a comment, for people to put in if they need it
     */
    public record Entry(String key, String text, boolean active) {}

    /**
     * A table or something that could be taken for one.
     *
     * @param name a pattern that selects it alone
     * @param selected whether the patterns of the request select it
     * @param rows estimate; -1: unknown
     * @param bytes on disk; -1: unknown
     * @param key what identifies a row, for people
     * @param obstacle why its changes cannot be read; empty if they can
     * @param cure the statement that removes the obstacle; empty if none does
     */
    public record Table(
            String name, boolean selected, long rows, long bytes, String key, String obstacle, String cure) {

        /** Whether the pipeline reads it. */
        public boolean captured() {
            return selected && obstacle.isEmpty();
        }
    }
}
