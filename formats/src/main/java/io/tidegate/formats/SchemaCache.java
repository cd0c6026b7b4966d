package io.tidegate.formats;

import io.tidegate.spi.TableSchema;
import java.util.IdentityHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a format works out once for a table. Found by identity, since a schema travels by reference; when it is full it
 * starts again, so that versions of tables that are no more do not pile up. Belongs to one thread.
 */
final class SchemaCache<T> {

    static final int TABLES_MAX = 4096;

    private final Function<TableSchema, T> derive;
    private final IdentityHashMap<TableSchema, T> known = new IdentityHashMap<>();
    private @Nullable TableSchema lastSchema;
    private @Nullable T last;

    SchemaCache(Function<TableSchema, T> derive) {
        this.derive = derive;
    }

    @SuppressWarnings("ReferenceEquality") // a schema is the same table in the same version if it is the same object
    T of(TableSchema schema) {
        T found = last;
        if (found != null && lastSchema == schema) {
            return found;
        }
        found = known.get(schema);
        if (found == null) {
            if (known.size() >= TABLES_MAX) {
                known.clear();
            }
            found = derive.apply(schema);
            known.put(schema, found);
        }
        last = found;
        lastSchema = schema;
        return found;
    }

    int size() {
        return known.size();
    }
}
