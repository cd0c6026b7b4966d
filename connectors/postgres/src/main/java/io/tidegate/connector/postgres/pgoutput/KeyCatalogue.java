package io.tidegate.connector.postgres.pgoutput;

import java.util.List;

/** Knows of the tables of one database what the log does not say. Belongs to the thread that decodes. */
public interface KeyCatalogue {

    /**
     * What the catalogue has of a table now; {@link Identity#NONE} if it is not there any more.
     *
     * @throws io.tidegate.spi.TidegateException the catalogue cannot be read now
     */
    Identity identity(int tableOid);

    /**
     * What tells rows of a table apart.
     *
     * @param primaryKey the names of the primary key's columns; none without one
     * @param generated those columns of the replica identity that are generated. Up to 17 the log has none of them, so what
     *     it flags is then a part of what identifies a row, and no key
     * @param nullsLogged whether a null in a whole old row says that the column was null. The server describes a partitioned
     *     table by its own identity and logs each row by that of its partition: if one of those is not FULL as well, a null
     *     says nothing
     */
    record Identity(List<String> primaryKey, List<String> generated, boolean nullsLogged) {

        static final Identity NONE = new Identity(List.of(), List.of(), true);

        public Identity {
            primaryKey = List.copyOf(primaryKey);
            generated = List.copyOf(generated);
        }
    }
}
