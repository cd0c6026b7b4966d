package io.tidegate.connector.postgres.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.connector.postgres.value.TextRow;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.property.Choices;
import io.tidegate.testkit.property.Property;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CopyTextTest {

    private static final int COLUMNS_MAX = 6;
    private static final int BYTES_MAX = 40;
    private static final byte[] NULL = {};

    @Test
    void whateverBytesAreInARowComeOutOfCopyAsTheyWentIn() {
        Property.checkCovering(
                "copy-text round trip", 3_000, List.of("null", "empty", "backslash-N as a value"), choices -> {
                    List<byte[]> row = choices.list(COLUMNS_MAX, CopyTextTest::value);
                    if (row.isEmpty()) {
                        return;
                    }
                    byte[] line = escaped(row);
                    int[] offsets = new int[row.size()];
                    int[] lengths = new int[row.size()];

                    CopyText.split(line, offsets, lengths);

                    for (int i = 0; i < row.size(); i++) {
                        if (row.get(i) == NULL) {
                            assertThat(lengths[i]).isEqualTo(TextRow.NULL);
                        } else {
                            assertThat(Arrays.copyOfRange(line, offsets[i], offsets[i] + lengths[i]))
                                    .isEqualTo(row.get(i));
                        }
                    }
                });
    }

    @Test
    void aRowWithAnotherNumberOfColumnsIsRefused() {
        Property.check("copy-text columns", 500, choices -> {
            List<byte[]> row = choices.list(COLUMNS_MAX, CopyTextTest::value);
            int asked = choices.between(1, COLUMNS_MAX + 1);
            if (row.isEmpty() || asked == row.size()) {
                return;
            }
            byte[] line = escaped(row);
            assertThat(catchThrowableOfType(
                            TidegateException.class, () -> CopyText.split(line, new int[asked], new int[asked])))
                    .as(row.size() + " columns where " + asked + " were asked for")
                    .isNotNull();
        });
    }

    private static byte[] value(Choices choices) {
        switch (choices.weighted(1, 1, 1, 5)) {
            case 0 -> {
                choices.saw("null");
                return NULL;
            }
            case 1 -> {
                choices.saw("empty");
                return new byte[0];
            }
            case 2 -> {
                choices.saw("backslash-N as a value");
                return new byte[] {'\\', 'N'};
            }
            default -> {
                return choices.bytes(BYTES_MAX);
            }
        }
    }

    /** As the server writes it (PostgreSQL documentation, COPY, "Text Format"). */
    private static byte[] escaped(List<byte[]> row) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int i = 0; i < row.size(); i++) {
            if (i > 0) {
                line.write('\t');
            }
            if (row.get(i) == NULL) {
                line.write('\\');
                line.write('N');
                continue;
            }
            for (byte b : row.get(i)) {
                int escape = "\b\f\n\r\t\u000b\\".indexOf(b);
                if (escape >= 0) {
                    line.write('\\');
                    line.write("bfnrtv\\".charAt(escape));
                } else {
                    line.write(b);
                }
            }
        }
        line.write('\n');
        return line.toByteArray();
    }
}
