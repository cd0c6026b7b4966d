package io.tidegate.connector.jdbc;

import static io.tidegate.connector.jdbc.Changes.Mark.UNCHANGED;
import static io.tidegate.connector.jdbc.Changes.table;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TableSchema;
import io.tidegate.testkit.mariadb.MariaDbServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import io.tidegate.testkit.property.Choices;
import io.tidegate.testkit.property.Property;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Random histories of several tables, cut into batches and flushes anywhere, with sessions that end and suffixes that come
 * again: afterwards the target has the rows that a model has.
 */
class ModelIT {

    private static final int RUNS = 40;
    private static final List<String> LABELS = List.of(
            "insert",
            "insert again",
            "full update",
            "partial update",
            "key change",
            "key swap",
            "delete",
            "truncate",
            "repeated suffix",
            "unique value moved");

    private static final TableSchema A = table("a", 1, "id integer", "v text", "big text");
    private static final TableSchema B = table("b", 2, "k1 integer", "k2 text", "v text", "big text");
    /** With a second unique constraint on {@code v} at source and target. */
    private static final TableSchema U = table("u", 1, "id integer", "v text", "big text");

    private static final List<TableSchema> TABLES = List.of(A, B, U);

    /** Rows by key; the values are the other two columns. */
    private static final class Model {
        final Map<TableSchema, Map<List<Object>, List<String>>> tables = new HashMap<>();
        final Map<TableSchema, Set<List<Object>>> deleted = new HashMap<>();

        Model() {
            for (TableSchema table : TABLES) {
                tables.put(table, new TreeMap<>((a, b) -> a.toString().compareTo(b.toString())));
                deleted.put(table, new TreeSet<>((a, b) -> a.toString().compareTo(b.toString())));
            }
        }

        List<String> rows() {
            List<String> rows = new ArrayList<>();
            for (TableSchema table : TABLES) {
                tables.get(table).forEach((key, values) -> rows.add(table.name() + " " + key + " " + values));
            }
            return rows;
        }
    }

    private interface Database {
        SinkSession open();

        Connection connect() throws SQLException;
    }

    @Test
    void postgresHasTheRowsOfTheModel() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh()) {
            database.execute(
                    "CREATE TABLE a (id int PRIMARY KEY, v text, big text)",
                    "CREATE TABLE b (k1 int, k2 text, v text, big text, PRIMARY KEY (k2, k1))",
                    "CREATE TABLE u (id int PRIMARY KEY, v text UNIQUE, big text)");
            Map<String, String> settings = Map.of("url", database.jdbcUrl(), "user", "postgres");
            check("postgres", new Database() {
                @Override
                public SinkSession open() {
                    return Target.sink(settings).open(new TestContext("postgres"));
                }

                @Override
                public Connection connect() throws SQLException {
                    return database.connect();
                }
            });
        }
    }

    @Test
    void mariaDbHasTheRowsOfTheModel() throws Exception {
        MariaDbServer server = MariaDbServer.shared();
        String bytes = "varchar(20) COLLATE utf8mb4_nopad_bin";
        server.execute("", "CREATE DATABASE model");
        server.execute(
                "model",
                "CREATE TABLE a (id int PRIMARY KEY, v text, big text)",
                "CREATE TABLE b (k1 int, k2 " + bytes + ", v text, big text, PRIMARY KEY (k2, k1))",
                "CREATE TABLE u (id int PRIMARY KEY, v " + bytes + " UNIQUE, big text)");
        Map<String, String> settings =
                Map.of("url", "mariadb://root@127.0.0.1:" + server.port() + "/model", "names.schema", "model");
        check("mariadb", new Database() {
            @Override
            public SinkSession open() {
                return Target.sink(settings).open(new TestContext("postgres"));
            }

            @Override
            public Connection connect() throws SQLException {
                return server.connect("model");
            }
        });
        server.execute("", "DROP DATABASE model");
    }

    private static void check(String name, Database database) {
        Property.checkCovering("the target has the rows of the model: " + name, RUNS, LABELS, choices -> {
            try (Connection connection = database.connect()) {
                reset(connection);
                run(choices, database, connection);
            }
        });
    }

    private static void reset(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String table : List.of("a", "b", "u")) {
                statement.execute("DELETE FROM " + table);
            }
            try {
                statement.execute("DELETE FROM tidegate_position");
            } catch (SQLException notMadeYet) {
                assertThat(notMadeYet.getMessage()).contains("tidegate_position");
            }
        }
    }

    private static void run(Choices choices, Database database, Connection connection) throws Exception {
        Changes log = new Changes();
        Model model = new Model();
        List<Change> history = new ArrayList<>();
        int durable = 0;
        int rounds = choices.between(1, 4);
        for (int round = 0; round < rounds; round++) {
            int from = choices.between(0, durable);
            if (from < durable) {
                choices.saw("repeated suffix");
            }
            int more = choices.between(1, 40);
            for (int i = 0; i < more; i++) {
                step(choices, log, model, history);
            }
            try (SinkSession session = database.open()) {
                deliver(choices, log, session, history.subList(from, history.size()));
            }
            durable = history.size();
            assertThat(rows(connection)).isEqualTo(model.rows());
        }
    }

    private static void deliver(Choices choices, Changes log, SinkSession session, List<Change> changes)
            throws InterruptedException {
        for (int at = 0; at < changes.size(); ) {
            int end = Math.min(changes.size(), at + choices.between(1, 30));
            Batch batch = log.batch(changes.subList(at, end));
            session.accept(batch);
            if (choices.chance(3)) {
                session.flush();
            }
            at = end;
        }
        session.flush();
    }

    private static void step(Choices choices, Changes log, Model model, List<Change> history) {
        TableSchema table = choices.pick(TABLES);
        Map<List<Object>, List<String>> rows = model.tables.get(table);
        switch (choices.weighted(6, 5, 4, 3, 3, 1, 1)) {
            case 0 -> insert(choices, log, model, table, history);
            case 1 -> update(choices, log, rows, table, true, history);
            case 2 -> update(choices, log, rows, table, false, history);
            case 3 -> delete(choices, log, model, table, history);
            case 4 -> rekey(choices, log, rows, table, history);
            case 5 -> swap(choices, log, rows, table, history);
            default -> {
                if (choices.chance(4)) {
                    rows.clear();
                    history.add(log.truncate(table));
                    choices.saw("truncate");
                }
            }
        }
    }

    private static List<Object> key(Choices choices, TableSchema table) {
        int id = choices.below(6);
        return table.equals(B) ? List.of(id, choices.pick(List.of("x", "X", "x "))) : List.of(id);
    }

    /** A value for {@code v} that no row has, where it must be unique. */
    private static String value(Choices choices, Map<List<Object>, List<String>> rows, TableSchema table) {
        for (int tries = 0; tries < 20; tries++) {
            String value = choices.pick(List.of("p", "q", "r", "s", "t", "w", "y", "z"));
            if (!table.equals(U)
                    || rows.values().stream().noneMatch(row -> row.get(0).equals(value))) {
                return value;
            }
        }
        return null;
    }

    private static Object[] image(List<Object> key, Object v, Object big) {
        List<Object> image = new ArrayList<>(key);
        image.add(v);
        image.add(big);
        return image.toArray();
    }

    private static void insert(Choices choices, Changes log, Model model, TableSchema table, List<Change> history) {
        Map<List<Object>, List<String>> rows = model.tables.get(table);
        List<Object> key = key(choices, table);
        String v = value(choices, rows, table);
        if (rows.containsKey(key) || v == null) {
            return;
        }
        String big = "big" + choices.below(100);
        choices.saw(model.deleted.get(table).contains(key) ? "insert again" : "insert");
        rows.put(key, List.of(v, big));
        history.add(log.insert(table, image(key, v, big)));
    }

    private static void update(
            Choices choices,
            Changes log,
            Map<List<Object>, List<String>> rows,
            TableSchema table,
            boolean full,
            List<Change> history) {
        String v = value(choices, rows, table);
        if (rows.isEmpty() || v == null) {
            return;
        }
        List<Object> key = choices.pick(new ArrayList<>(rows.keySet()));
        String big = full ? "big" + choices.below(100) : rows.get(key).get(1);
        if (table.equals(U)) {
            choices.saw("unique value moved");
        }
        rows.put(key, List.of(v, big));
        choices.saw(full ? "full update" : "partial update");
        history.add(log.update(table, image(key, v, full ? big : UNCHANGED)));
    }

    private static void delete(Choices choices, Changes log, Model model, TableSchema table, List<Change> history) {
        Map<List<Object>, List<String>> rows = model.tables.get(table);
        if (rows.isEmpty()) {
            return;
        }
        List<Object> key = choices.pick(new ArrayList<>(rows.keySet()));
        rows.remove(key);
        model.deleted.get(table).add(key);
        choices.saw("delete");
        history.add(log.delete(table, key.toArray()));
    }

    private static void rekey(
            Choices choices,
            Changes log,
            Map<List<Object>, List<String>> rows,
            TableSchema table,
            List<Change> history) {
        List<Object> to = key(choices, table);
        if (rows.isEmpty() || rows.containsKey(to)) {
            return;
        }
        move(log, rows, table, choices.pick(new ArrayList<>(rows.keySet())), to, history);
        choices.saw("key change");
    }

    private static void move(
            Changes log,
            Map<List<Object>, List<String>> rows,
            TableSchema table,
            List<Object> from,
            List<Object> to,
            List<Change> history) {
        List<String> values = rows.remove(from);
        rows.put(to, values);
        history.add(log.rekey(table, from.toArray(), image(to, values.get(0), UNCHANGED)));
    }

    /** Two rows exchange their keys by way of a third. */
    private static void swap(
            Choices choices,
            Changes log,
            Map<List<Object>, List<String>> rows,
            TableSchema table,
            List<Change> history) {
        if (rows.size() < 2) {
            return;
        }
        List<List<Object>> keys = choices.shuffled(new ArrayList<>(rows.keySet()));
        List<Object> third = table.equals(B) ? List.of(99, "x") : List.of(99);
        move(log, rows, table, keys.get(0), third, history);
        move(log, rows, table, keys.get(1), keys.get(0), history);
        move(log, rows, table, third, keys.get(1), history);
        choices.saw("key swap");
    }

    private static List<String> rows(Connection connection) throws SQLException {
        Model found = new Model();
        for (TableSchema table : TABLES) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT * FROM " + table.name())) {
                while (rows.next()) {
                    List<Object> key =
                            table.equals(B) ? List.of(rows.getInt(1), rows.getString(2)) : List.of(rows.getInt(1));
                    found.tables.get(table).put(key, List.of(rows.getString("v"), rows.getString("big")));
                }
            }
        }
        return found.rows();
    }
}
