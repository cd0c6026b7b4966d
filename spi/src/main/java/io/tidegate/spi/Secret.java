package io.tidegate.spi;

/** A text that is never printed. */
public record Secret(String reveal) {

    @Override
    public String toString() {
        return "***";
    }
}
