package io.tidegate.connector.postgres.value;

/**
 * A data type as {@code pg_type} has it.
 *
 * @param name {@code typname}
 * @param display the type with its modifiers, as {@code format_type} gives it: {@code numeric(10,2)}
 * @param related the OID of a domain's base type or of an array's element type, else 0
 * @param delimiter what stands between the elements of an array of this type ({@code typdelim})
 */
public record PgType(int oid, String name, String display, Kind kind, int related, char delimiter) {

    /** What the text of a type is read by. */
    public enum Kind {
        /** A base type; it has a logical type of its own, or is other. */
        BASE,
        ENUM,
        /** Read by its base type. */
        DOMAIN,
        ARRAY,
        /** Composites, ranges, pseudo types, and types that have been dropped. */
        OTHER
    }

    /** A type that the catalogue does not know any more: its values are the server's text (rule 16). */
    public static PgType dropped(int oid) {
        return new PgType(oid, "", "dropped type " + Integer.toUnsignedString(oid), Kind.OTHER, 0, ',');
    }
}
