package io.tidegate.connector.postgres.value;

import io.tidegate.spi.LogicalType;
import io.tidegate.spi.ValueVisitor;

/** Chooses the reader of a type. */
final class ValueReaders {

    private static final ValueReader OTHER = new ValueReader() {
        @Override
        public LogicalType type() {
            return LogicalType.OTHER;
        }

        @Override
        public void read(byte[] data, int from, int length, ValueVisitor visitor) {
            visitor.other(data, from, length);
        }
    };

    private ValueReaders() {}

    static ValueReader of(PgType type, TypeCatalogue types) {
        return OTHER;
    }
}
