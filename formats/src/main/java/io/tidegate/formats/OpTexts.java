package io.tidegate.formats;

import io.tidegate.spi.Op;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** A text with the code of an operation in it, written once for each of them. */
final class OpTexts {

    private final Map<Op, byte[]> texts = new EnumMap<>(Op.class);

    OpTexts(String before, String behind) {
        for (Op op : Op.values()) {
            texts.put(op, (before + op.code() + behind).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Not to be written to. */
    byte[] of(Op op) {
        return Objects.requireNonNull(texts.get(op));
    }
}
