package io.tidegate.connector.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Short questions to a database. */
final class Sql {

    /** Reads one row. */
    @FunctionalInterface
    interface RowReader<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    private Sql() {}

    static <T extends @Nullable Object> List<T> list(
            Connection connection, String sql, RowReader<T> reader, Object... parameters) throws SQLException {
        List<T> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(reader.read(result));
                }
            }
        }
        return rows;
    }

    /** The one row that there always is. */
    static <T extends @Nullable Object> T one(
            Connection connection, String sql, RowReader<T> reader, Object... parameters) throws SQLException {
        return list(connection, sql, reader, parameters).get(0);
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }
}
