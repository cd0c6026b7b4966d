package io.tidegate.connector.postgres.value;

import java.util.HashMap;
import java.util.Map;

/** A catalogue of given types; what it was not given has been dropped, but for base types with built-in OIDs. */
public final class FixedTypes implements TypeCatalogue {

    private final Map<Integer, PgType> types = new HashMap<>();

    public FixedTypes with(int oid, String name, PgType.Kind kind, int related, char delimiter) {
        types.put(oid, new PgType(oid, name, name, kind, related, delimiter));
        return this;
    }

    @Override
    public PgType find(int oid, int typmod) {
        PgType given = types.get(oid);
        if (given != null) {
            return given;
        }
        return oid < 16384 ? new PgType(oid, "t" + oid, "t" + oid, PgType.Kind.BASE, 0, ',') : PgType.dropped(oid);
    }
}
