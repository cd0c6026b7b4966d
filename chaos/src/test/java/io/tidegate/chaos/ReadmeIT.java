package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Does what README.md says; only hosts, ports and references to passwords are others. */
class ReadmeIT {

    private static final Pattern SECTION =
            Pattern.compile("^## A pipeline in five minutes\n(.*?)^## ", Pattern.DOTALL | Pattern.MULTILINE);
    private static final String[] HBA = {"host all all 127.0.0.1/32 scram-sha-256"};

    @TempDir
    Path folder;

    @Test
    void theQuickStartKeepsTablesEqualInAnotherPostgresAlsoAfterItWasKilled() throws IOException, SQLException {
        String section = section();
        List<String> sql = blocks(section, "sql");
        try (PostgresServer shop = PostgresServer.version(17).hba(HBA).start();
                PostgresServer warehouse = PostgresServer.version(18).hba(HBA).start()) {
            shop.execute("CREATE DATABASE shop");
            shop.executeIn(
                    "shop",
                    "CREATE TABLE customers (id bigint PRIMARY KEY, name text NOT NULL)",
                    "CREATE TABLE orders (id bigint PRIMARY KEY, customer bigint, price numeric(10, 2), at timestamptz)",
                    "INSERT INTO customers SELECT i, 'name ' || i FROM generate_series(1, 100) i",
                    "INSERT INTO orders SELECT i, i % 100, i / 7.0, now() FROM generate_series(1, 1000) i");
            warehouse.execute("CREATE DATABASE warehouse");
            shop.executeIn("shop", statements(sql.get(0)));
            warehouse.executeIn("warehouse", statements(sql.get(1)));

            Path file = Files.writeString(
                    folder.resolve("warehouse.yaml"),
                    blocks(section, "yaml")
                            .get(1)
                            .replace("localhost:5432", "127.0.0.1:" + shop.port())
                            .replace("localhost:5433", "127.0.0.1:" + warehouse.port())
                            .replaceAll("\\$\\{env:\\w+\\}", "secret"));
            EngineProcess.answer(folder, "check", file.toString());
            try (EngineProcess first = EngineProcess.run(folder.resolve("first.log"), file)) {
                awaitEqual(shop, warehouse, first);
                shop.executeIn(
                        "shop",
                        "INSERT INTO customers VALUES (101, 'new')",
                        "UPDATE orders SET price = price + 1 WHERE id < 500",
                        "UPDATE orders SET id = -id WHERE id BETWEEN 500 AND 600",
                        "DELETE FROM orders WHERE id > 900");
                awaitEqual(shop, warehouse, first);
                first.kill();
            }
            shop.executeIn("shop", "UPDATE orders SET price = 0 WHERE id < 0", "DELETE FROM customers WHERE id = 1");
            try (EngineProcess second = EngineProcess.run(folder.resolve("second.log"), file)) {
                awaitEqual(shop, warehouse, second);
                assertThat(second.stop(Trial.STOP_LIMIT)).isZero();
            }
        }
    }

    private static void awaitEqual(PostgresServer shop, PostgresServer warehouse, EngineProcess engine)
            throws SQLException {
        for (String table : List.of("customers", "orders")) {
            String all = "SELECT to_jsonb(t)::text FROM " + table + " t ORDER BY 1";
            Await.until(
                    table + " to be equal",
                    Trial.LIMIT,
                    () -> {
                        assertThat(engine.isAlive()).as(engine.log()).isTrue();
                        return exists(warehouse, table)
                                && shop.queryIn("shop", all).equals(warehouse.queryIn("warehouse", all));
                    },
                    engine::log);
        }
    }

    private static boolean exists(PostgresServer warehouse, String table) throws SQLException {
        return warehouse
                .queryIn("warehouse", "SELECT to_regclass('public." + table + "') IS NOT NULL")
                .equals(List.of("t"));
    }

    private static String section() throws IOException {
        Path path = Path.of("README.md").toAbsolutePath();
        while (!Files.exists(path)) {
            path = path.getParent().resolveSibling("README.md");
        }
        Matcher section = SECTION.matcher(Files.readString(path));
        assertThat(section.find()).as("the section is there").isTrue();
        return section.group(1);
    }

    /** What stands in the fences of a language. */
    private static List<String> blocks(String section, String language) {
        Matcher fences = Pattern.compile("^ *```" + language + "\n(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(section);
        List<String> blocks = new ArrayList<>();
        while (fences.find()) {
            blocks.add(fences.group(1).stripIndent());
        }
        return blocks;
    }

    private static String[] statements(String sql) {
        return sql.replaceAll("--.*", "").strip().split(";\\s*");
    }
}
