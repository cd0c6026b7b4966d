package io.tidegate.spi;

/** Writes changes in one format, each as one line of text without its end. Belongs to one thread. */
public interface ChangeEncoder {

    /** Appends the change to {@code out}; if it throws, what was appended is undefined and must be cut off. */
    void encode(Change change, ByteBuilder out);
}
