package io.tidegate.bench.contender;

import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.PGConnection;

/**
 * The floor of a snapshot: one sequential {@code COPY … TO STDOUT} of the table by the JDBC driver, whose bytes are thrown
 * away.
 *
 * <p>Arguments: {@code url}, {@code user}, {@code table}, {@code expect}.
 */
public final class CopyReader {

    private CopyReader() {}

    public static void main(String[] words) throws SQLException, IOException {
        ChildReport report = new ChildReport();
        Arguments arguments = Arguments.of(words);
        Properties properties = new Properties();
        properties.setProperty("user", arguments.text("user"));
        try (Connection connection = DriverManager.getConnection(arguments.text("url"), properties)) {
            long first = ChildReport.now();
            long rows = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyOut("COPY " + arguments.text("table") + " TO STDOUT", OutputStream.nullOutputStream());
            report.put("count", rows)
                    .put("first", first)
                    .put("end", ChildReport.now())
                    .put("right", 1L)
                    .put("allocated", report.allocatedBytes());
        }
        report.print();
    }
}
