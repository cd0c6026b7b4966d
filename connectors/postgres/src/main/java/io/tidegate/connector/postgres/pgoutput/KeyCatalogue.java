package io.tidegate.connector.postgres.pgoutput;

import java.util.List;

/** Knows the primary keys of one database. Belongs to the thread that decodes. */
public interface KeyCatalogue {

    /**
     * The names of the primary key's columns; none if the table has no primary key, or is not there any more.
     *
     * @throws io.tidegate.spi.TidegateException the catalogue cannot be read now
     */
    List<String> primaryKey(int tableOid);
}
