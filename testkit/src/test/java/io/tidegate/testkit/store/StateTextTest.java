package io.tidegate.testkit.store;

import static io.tidegate.testkit.store.NumberPositions.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.engine.store.FileStateStore;
import io.tidegate.engine.store.StateText;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** An exported state comes back as it was, or is refused. */
class StateTextTest {

    private static final long SEEDS = Long.getLong("state.seeds", 2_000);

    private static final NumberPositions POSITIONS = new NumberPositions();

    private static final Checkpoint CHECKPOINT = new Checkpoint(
            SourceRecord.EMPTY.with("server", "s"),
            List.of(
                    new SplitState(
                            new SplitPlan("chunk", List.of(), null, "a"), new SplitProgress("chunk", null, true)),
                    new SplitState(
                            new SplitPlan("log", List.of("chunk"), at(1), "b", "line"),
                            new SplitProgress("log", at(7), false))));

    private static final String DOCUMENT = """
            {
            "tidegate_state":2,
            "pipeline":"orders",
            "source":{"server":"s"},
            "splits":[
            {"id":"chunk","after":[],"start":null,"spec":"a","lineage":"","position":null,"done":true},
            {"id":"log","after":["chunk"],"start":"@1","spec":"b","lineage":"line","position":"@7","done":false}]}
            """;

    private static TidegateException refused(String document) {
        TidegateException refusal =
                catchThrowableOfType(TidegateException.class, () -> StateText.parse(document, "orders", POSITIONS));
        assertThat(refusal).as(document).isNotNull();
        assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_DAMAGED);
        return refusal;
    }

    private static void refused(String from, String to, String why) {
        assertThat(DOCUMENT).contains(from);
        assertThat(refused(DOCUMENT.replace(from, to))).hasMessageContaining(why);
    }

    /** Text of all that text can hold: quotes, controls, halves of pairs, line ends of any kind, planes above the first. */
    private static String oddText(SplittableRandom choices) {
        String odd = "\"\\/\b\f\n\r\t\0\u007f\u0085\u00a0\u2028\u2029\ud83c\udf0a\ud83c\udf0a\ufffe,:[]{}aä 0";
        StringBuilder text = new StringBuilder();
        for (int length = choices.nextInt(12); length > 0; length--) {
            text.append(
                    choices.nextInt(4) > 0
                            ? odd.charAt(choices.nextInt(odd.length()))
                            : (char) choices.nextInt(0x10000));
        }
        return text.toString();
    }

    private static Checkpoint odd(SplittableRandom choices) {
        TreeMap<String, String> source = new TreeMap<>();
        for (int i = choices.nextInt(4); i > 0; i--) {
            source.put(oddText(choices), oddText(choices));
        }
        List<SplitState> splits = new ArrayList<>();
        List<String> done = new ArrayList<>();
        for (int i = 0; i < choices.nextInt(6); i++) {
            SplitPlan plan = new SplitPlan(
                    i + oddText(choices),
                    List.copyOf(done),
                    choices.nextBoolean() ? null : at(choices.nextInt(5)),
                    oddText(choices),
                    oddText(choices));
            boolean isDone = choices.nextBoolean();
            splits.add(new SplitState(plan, new SplitProgress(plan.id(), at(5 + choices.nextInt(5)), isDone)));
            if (isDone) {
                done.add(plan.id());
            }
        }
        return new Checkpoint(new SourceRecord(source), splits);
    }

    @Test
    void isAReadableDocument() {
        assertThat(StateText.export("orders", CHECKPOINT, POSITIONS)).isEqualTo(DOCUMENT);
    }

    @Test
    void givesAnyTextBackFromDocumentAndFile() {
        for (long seed = 0; seed < SEEDS; seed++) {
            SplittableRandom choices = new SplittableRandom(seed);
            Checkpoint checkpoint = odd(choices);
            String document = StateText.export("orders", checkpoint, POSITIONS);
            assertThat(StateText.parse(document, "orders", POSITIONS))
                    .as("seed %s", seed)
                    .isEqualTo(checkpoint);
            FileStateStore.Options options =
                    new FileStateStore.Options(new SimulatedDisk(choices), Path.of("/state"), "orders", POSITIONS);
            try (FileStateStore store = FileStateStore.open(options, "me")) {
                store.importState(checkpoint);
            }
            assertThat(FileStateStore.show(options)).as("seed %s", seed).isEqualTo(checkpoint);
        }
    }

    @Test
    void readsADocumentOfTheFormatBeforeLineages() {
        String older = DOCUMENT.replace("state\":2", "state\":1").replaceAll(",\"lineage\":\"[a-z]*\"", "");

        Checkpoint read = StateText.parse(older, "orders", POSITIONS);

        assertThat(read.splits().get(1).plan()).isEqualTo(new SplitPlan("log", List.of("chunk"), at(1), "b"));
        assertThat(read.source()).isEqualTo(CHECKPOINT.source());
    }

    @Test
    void takesADocumentThatWasIndented() {
        String indented = DOCUMENT.replace(",", " ,\n\t ").replace(":", " : ").replace("{", "{ ");
        assertThat(StateText.parse(indented, "orders", POSITIONS)).isEqualTo(CHECKPOINT);
    }

    @Test
    void refusesADocumentThatWasCut() {
        String whole = DOCUMENT.strip();
        for (int length = 0; length < whole.length(); length++) {
            refused(whole.substring(0, length));
        }
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        refused("\"tidegate_state\":2", "\"tidegate_state\":0", "format 0 is not known");
        refused("\"orders\"", "\"invoices\"", "it is the state of pipeline \"invoices\"");
        refused("\"done\":true", "\"done\":true,\"rows\":1", "expected '}'");
        refused("\"spec\":\"a\"", "\"spek\":\"a\"", "expected \"spec\"");
        refused("\"spec\":\"a\",", "", "expected \"spec\"");
        refused("\"s\"}", "\"s\",\"server\":\"t\"}", "there twice");
        refused("]}\n", "]}\n{}", "expected the end");
        refused("\"done\":true", "\"done\":1", "expected false");
        refused("\"spec\":\"a\"", "\"spec\":\"\\x\"", "expected an escape");
        refused("\"spec\":\"a\"", "\"spec\":\"\\u12\"", "expected four hexadecimal digits");
        refused("\"spec\":\"a\"", "\"spec\":\"a\nb\"", "without control characters");
        refused("\"tidegate_state\":2", "\"tidegate_state\":02", "expected a whole number");
        refused("[\"chunk\"]", "[\"chunk\",]", "expected '\"'");
    }

    @Test
    void refusesADocumentOfALaterVersionWithACodeOfItsOwn() {
        String later = DOCUMENT.replace("\"tidegate_state\":2", "\"tidegate_state\":3,\"unheard\":[]");

        TidegateException refusal =
                catchThrowableOfType(TidegateException.class, () -> StateText.parse(later, "orders", POSITIONS));

        assertThat(refusal.code()).isEqualTo(ErrorCode.STATE_NEWER);
        assertThat(refusal).hasMessageContaining("format 3 is not known");
    }

    @Test
    void refusesAStateThatBreaksARule() {
        refused("\"@7\"", "\"x7\"", "not a position: x7");
        refused("\"@7\"", "\"@0\"", "I2: the position of split log went back");
        refused("\"@7\"", "null", "I2: the position of split log went back");
        refused("\"id\":\"log\"", "\"id\":\"chunk\"", "two splits are called chunk");
        refused("[\"chunk\"]", "[\"chunks\"]", "comes after chunks, which is not known");
        refused("\"done\":true", "\"done\":false", "I6: split log moved before chunk was durably done");
    }
}
