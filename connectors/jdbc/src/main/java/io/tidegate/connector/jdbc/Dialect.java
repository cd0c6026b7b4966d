package io.tidegate.connector.jdbc;

import io.tidegate.spi.Column;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Place;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** What differs between databases. Without state. */
interface Dialect {

    static Dialect of(TargetUrl url) {
        return url.scheme().equals("mariadb") ? new MariaDialect() : new PostgresDialect();
    }

    /** What {@link io.tidegate.spi.Source#system} calls databases of this kind: its types are these types then. */
    String system();

    /** Connects and sets everything in the session that values, durability or waits depend on. */
    Connection connect(JdbcConfig config) throws SQLException;

    /** Makes whatever hangs in the connection fail, without waiting for it. Any thread. */
    default void abort(Connection connection) throws SQLException {
        connection.abort(Runnable::run);
    }

    /**
     * Ends what an earlier session of this pipeline and role has left in the middle of a statement that waits for a client
     * which sends nothing, while it holds this position table: no timeout of the server ends that. If it cannot, whoever waits
     * for the table says so.
     */
    default void endSilent(Connection connection, TableName positions) {}

    SqlFailures failures();

    RowWriter rows(Connection connection);

    CellStyle cells();

    String quote(String name);

    default String quote(TableName name) {
        return name.schema().isEmpty() ? quote(name.name()) : quote(name.schema()) + "." + quote(name.name());
    }

    /** The schema in which unqualified names are looked for and made. */
    String currentSchema(Connection connection) throws SQLException;

    /** What is known of a table, or nothing if there is none. */
    Optional<Description> describe(Connection connection, TableName name) throws SQLException;

    /** Throws {@link io.tidegate.spi.TidegateException} for a table whose changes are not part of a transaction. */
    default void checkTransactional(Connection connection, TableName name) throws SQLException {}

    boolean schemaExists(Connection connection, String schema) throws SQLException;

    /** The statement that gives the right to read and write a table, or to make it; empty if the role has it. */
    Optional<String> missingRight(Connection connection, TableName name, boolean there) throws SQLException;

    /** The tables of a schema. */
    List<TableName> tables(Connection connection, String schema) throws SQLException;

    /** Throws {@link io.tidegate.spi.TidegateException} for a name that the server would cut. */
    void checkName(TableName name);

    /** The type of a new column for this one of the source. */
    String newType(Connection connection, Column column, boolean key, boolean sameSystem) throws SQLException;

    /** The position table, if it is not there. */
    String createPositionTable(TableName name);

    /** A table for {@link JdbcConfig.Mode#APPEND}, if it is not there. */
    String createAppendTable(TableName name);

    String createSchema(String schema);

    /** The statement that gives a column another type. */
    String alterType(TableName table, String column, String type);

    /** Makes sure that the pipeline has its row for a lineage; changes none that is there. */
    String insertPosition(TableName name);

    /** What of the server's settings and of the role's rights can stand in the way. */
    List<Finding> check(Connection connection, JdbcConfig config) throws SQLException;

    /** Names the database for good, if it is one of those that sources read, so that the same can be told from another. */
    Optional<Place> place(Connection connection) throws SQLException;

    /**
     * A table as the target has it.
     *
     * @param uniqueKeys unique constraints over columns that hold at each statement, the primary key first
     * @param specialUniques the other unique constraints: partial, deferrable, over expressions
     * @param required columns that need a value at an insert
     * @param inexact columns in which two different texts can be equal
     * @param folding columns of which some collation takes different texts for equal, the source's own type or not
     * @param always columns to which the server gives the value unless an insert overrides it, and that no update can set
     */
    record Description(
            TableName name,
            List<TargetColumn> columns,
            List<UniqueKey> uniqueKeys,
            List<UniqueKey> specialUniques,
            List<String> required,
            List<String> inexact,
            List<String> folding,
            List<String> always,
            Bonds bonds) {

        /**
         * What happens beside a change of a row.
         *
         * @param cascades deleting a row changes rows of other tables
         * @param parents tables that foreign keys name
         * @param triggers names of the table's triggers
         * @param rules an insert or an update is rewritten into something else
         */
        record Bonds(boolean cascades, List<TableName> parents, List<String> triggers, boolean rules) {}
    }

    /** A unique constraint or index. */
    record UniqueKey(String name, List<String> columns) {}
}
