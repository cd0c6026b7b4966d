package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.TableSchema;
import java.util.function.UnaryOperator;

/** What a format writes again and again for a table, written once. Not changed after it was made. */
final class TableTexts {

    /** What names the table. */
    final byte[] head;

    /** The columns' names as strings. */
    final byte[][] quoted;

    /** The same, each with a colon. */
    final byte[][] names;

    TableTexts(byte[] head, TableSchema schema, UnaryOperator<String> naming) {
        this.head = head;
        int count = schema.columns().size();
        quoted = new byte[count][];
        names = new byte[count][];
        ByteBuilder name = new ByteBuilder(64);
        for (int i = 0; i < count; i++) {
            name.clear();
            JsonText.string(name, naming.apply(schema.columns().get(i).name()));
            quoted[i] = name.toByteArray();
            names[i] = name.put(':').toByteArray();
        }
    }
}
