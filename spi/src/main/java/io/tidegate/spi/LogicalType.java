package io.tidegate.spi;

/** The types that every format and sink understands; {@link #OTHER} is the server's own text. */
public enum LogicalType {
    BOOLEAN,
    INT16,
    INT32,
    INT64,
    UNSIGNED64,
    FLOAT32,
    FLOAT64,
    DECIMAL,
    STRING,
    BYTES,
    UUID,
    DATE,
    TIME,
    TIMESTAMP,
    TIMESTAMP_ZONED,
    INTERVAL,
    JSON,
    ARRAY,
    ENUM,
    OTHER
}
