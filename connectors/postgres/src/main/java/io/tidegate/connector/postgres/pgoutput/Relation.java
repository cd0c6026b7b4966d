package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.value.RelationShape;
import io.tidegate.connector.postgres.value.RelationShape.ColumnShape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A Relation message.
 *
 * @param identity {@code d} default, {@code i} by index, {@code f} full, {@code n} nothing
 * @param flagged by column: part of the identity
 */
record Relation(
        int oid, String namespace, String name, int identity, List<ColumnShape> columns, List<Boolean> flagged) {

    static Relation parse(MessageCursor message) {
        int oid = message.int32();
        String namespace = message.text();
        String name = message.text();
        int identity = message.int8();
        int count = message.int16();
        List<ColumnShape> columns = new ArrayList<>(count);
        List<Boolean> flagged = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            flagged.add((message.int8() & 1) != 0);
            String column = message.text();
            columns.add(new ColumnShape(column, message.int32(), message.int32()));
        }
        message.end();
        // the server leaves the name of its own schema out
        return new Relation(oid, namespace.isEmpty() ? "pg_catalog" : namespace, name, identity, columns, flagged);
    }

    /**
     * With the key of rule 14, in the order of the columns. A key of which the message lacks a column (it was renamed
     * since, is generated, or is not published) identifies nothing here.
     */
    RelationShape shape(KeyCatalogue.Identity known) {
        List<Integer> key = new ArrayList<>();
        switch (identity) {
            case 'd', 'i' -> {
                for (int i = 0; i < columns.size(); i++) {
                    if (flagged.get(i)) {
                        key.add(i);
                    }
                }
                if (!columns.stream().map(ColumnShape::name).toList().containsAll(known.generated())) {
                    key.clear();
                }
            }
            case 'f', 'n' -> {
                Set<String> primary = new HashSet<>(known.primaryKey());
                for (int i = 0; i < columns.size(); i++) {
                    if (primary.remove(columns.get(i).name())) {
                        key.add(i);
                    }
                }
                if (!primary.isEmpty()) {
                    key.clear();
                }
            }
            default ->
                throw new io.tidegate.spi.TidegateException(
                        io.tidegate.spi.ErrorCode.MESSAGE_UNKNOWN,
                        "the server describes " + namespace + "." + name + " with an unknown replica identity, "
                                + identity);
        }
        return new RelationShape(oid, namespace, name, columns, key);
    }
}
