package io.tidegate.connector.postgres.value;

/** Knows the data types of one database. Belongs to the thread that builds {@link TableShape}s. */
public interface TypeCatalogue {

    /**
     * The type with the modifiers of one column; {@link PgType#dropped} if there is none any more.
     *
     * @param typmod {@code atttypmod}, -1 for none
     * @throws io.tidegate.spi.TidegateException the catalogue cannot be read now
     */
    PgType find(int oid, int typmod);
}
