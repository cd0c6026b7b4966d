package io.tidegate.connector.jdbc;

import io.tidegate.spi.Batch;
import io.tidegate.spi.SinkSession;
import io.tidegate.testkit.postgres.SharedPostgres;
import io.tidegate.testkit.settings.MapSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A PostgreSQL database as a target, and sessions of one pipeline to it. */
final class Target implements AutoCloseable {

    final SharedPostgres.Database database;
    final TestContext context = new TestContext("postgres");
    private final Map<String, String> settings = new HashMap<>();
    private SinkSession session;

    private Target(SharedPostgres.Database database) {
        this.database = database;
        settings.put("url", database.jdbcUrl());
        settings.put("user", "postgres");
    }

    static Target fresh(String... sql) throws SQLException {
        return fresh(17, sql);
    }

    static Target fresh(int version, String... sql) throws SQLException {
        Target target = new Target(SharedPostgres.version(version).fresh());
        target.database.execute(sql);
        return target;
    }

    Target with(String key, String value) {
        settings.put(key, value);
        return this;
    }

    JdbcSink sink() {
        return sink(settings);
    }

    static JdbcSink sink(Map<String, String> settings) {
        MapSettings given = new MapSettings(settings);
        JdbcSink sink = (JdbcSink) new JdbcConnector().create(given);
        if (!given.invalid().isEmpty()) {
            throw new IllegalArgumentException(given.invalid().toString());
        }
        return sink;
    }

    /** One that gives up what is silent after so long. */
    JdbcSink sink(Duration silence) {
        return new JdbcSink(JdbcConnector.config(new MapSettings(settings)), new PostgresDialect(silence));
    }

    SinkSession session() throws InterruptedException {
        if (session == null) {
            session = sink().open(context);
        }
        return session;
    }

    /** Accepts and flushes in the session that is open. */
    void write(Batch... batches) throws InterruptedException {
        for (Batch batch : batches) {
            session().accept(batch);
        }
        session().flush();
    }

    /** The session ends; the next write opens another. */
    void restart() {
        if (session != null) {
            session.close();
            session = null;
        }
    }

    List<String> query(String sql) throws SQLException {
        return database.query(sql);
    }

    @Override
    public void close() throws SQLException {
        restart();
        database.close();
    }
}
