package io.tidegate.testkit.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.gate.Batcher;
import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateDigest;
import io.tidegate.engine.gate.GateEffects;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.gate.GateFields;
import io.tidegate.engine.gate.GateFields.Treatment;
import io.tidegate.engine.gate.GateLimits;
import io.tidegate.engine.gate.GateTwin;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A field that is not copied or not in the digest makes exploration blind without a word. */
class GateTwinTest {

    private static final GateLimits LIMITS = new GateLimits(8, 99, 50, 5, 1, 1, 64, 20);

    static Stream<Field> stateFields() {
        return GateFields.classes().stream()
                .flatMap(type -> instanceFields(type).stream())
                .filter(field -> treatment(field) == Treatment.STATE);
    }

    @Test
    void saysOfEachFieldHowItIsTreated() {
        for (Class<?> type : GateFields.classes()) {
            Set<String> fields =
                    instanceFields(type).stream().map(Field::getName).collect(Collectors.toSet());
            assertThat(GateFields.of(type).keySet()).as(type.getSimpleName()).isEqualTo(fields);
        }
    }

    @ParameterizedTest
    @MethodSource("stateFields")
    void copiesEachFieldOfTheState(Field field) throws Exception {
        Object core = core(field);
        change(core, field);
        assertThat(show(field.get(inner(twin(core), field)))).isEqualTo(show(field.get(inner(core, field))));
    }

    @ParameterizedTest
    @MethodSource("stateFields")
    void tellsStatesApartByEachField(Field field) throws Exception {
        Object core = core(field);
        long before = digest(core);
        change(core, field);
        assertThat(digest(core)).isNotEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("stateFields")
    void changesNothingInTheOriginalWhenTheCopyGoesOn(Field field) throws Exception {
        Object core = core(field);
        Object twin = twin(core);
        long before = digest(core);
        assertThat(digest(twin)).isEqualTo(before);
        change(twin, field);
        assertThat(digest(core)).isEqualTo(before);
    }

    /** A gate (or a batcher) in whose state each field can be seen: batches in flight, a write, a retry, a stop. */
    private static Object core(Field field) {
        if (field.getDeclaringClass() == Batcher.class) {
            Batcher batcher = new Batcher();
            batcher.change(Place.at(1), 7);
            return batcher;
        }
        SplitState chunk = SplitState.fresh(new SplitPlan("A", List.of(), null, ""));
        SplitState other = SplitState.fresh(new SplitPlan("B", List.of(), null, ""));
        SplitState log = SplitState.fresh(new SplitPlan("L", List.of("A", "B"), Place.at(2), ""));
        Gate gate = new Gate(1, LIMITS, Place.ORDER, List.of(chunk, other, log), 0, new Silence());
        gate.start();
        for (int batch = 0; batch < 3; batch++) {
            gate.tracked(1, 0, batch, Place.at(batch + 1), 1, 1);
        }
        gate.settled(1, 0, 0, 1);
        gate.tick(5);
        gate.storeFailed(1);
        gate.tick(6);
        gate.wrote(1);
        gate.settled(1, 0, 1, 1);
        gate.tick(11);
        gate.tracked(1, 1, 0, Place.at(1), 1, 1);
        gate.settled(1, 1, 0, 1);
        gate.stop();
        setLong(gate, "earliestAt", 14);
        setLong(gate, "dueAt", 15);
        return gate;
    }

    private static Object twin(Object core) {
        return core instanceof Gate gate ? GateTwin.of(gate, new Silence()) : GateTwin.of((Batcher) core);
    }

    private static long digest(Object core) {
        Fold fold = new Fold();
        GateDigest digest = new GateDigest(fold, Place::number);
        if (core instanceof Gate gate) {
            digest.add(gate);
        } else {
            digest.add((Batcher) core);
        }
        return fold.value();
    }

    private static void setLong(Gate gate, String name, long value) {
        try {
            Field field = Gate.class.getDeclaredField(name);
            field.setAccessible(true);
            field.setLong(gate, value);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** The object that holds the field: the core itself, or its first ledger. */
    private static Object inner(Object core, Field field) throws ReflectiveOperationException {
        if (field.getDeclaringClass().isInstance(core)) {
            return core;
        }
        Field splits = Gate.class.getDeclaredField("splits");
        splits.setAccessible(true);
        return ((List<?>) splits.get(core)).get(0);
    }

    private static void change(Object core, Field field) throws ReflectiveOperationException {
        Object holder = inner(core, field);
        Object value = field.get(holder);
        if (field.getName().equals("splits")) { // its elements are looked at field by field
            ((List<?>) value).remove(2);
        } else if (value instanceof List<?> list) {
            list.remove(0);
        } else if (field.getType().isArray()) {
            Array.set(value, 2, field.getType() == int[].class ? (Object) 9 : Place.at(9));
        } else if (field.getType() == int.class) {
            field.setInt(holder, field.getInt(holder) + 1);
        } else if (field.getType() == long.class) {
            field.setLong(holder, field.getLong(holder) + 1);
        } else if (field.getType() == boolean.class) {
            field.setBoolean(holder, !field.getBoolean(holder));
        } else if (field.getType() == Position.class) {
            field.set(holder, Place.at(9));
        } else if (field.getType() == SplitProgress.class) {
            field.set(holder, new SplitProgress("A", Place.at(9), false));
        } else if (field.getType() == GateWrite.class) {
            field.set(holder, null);
        } else {
            throw new AssertionError("say here how to change " + field);
        }
    }

    private static String show(Object value) {
        if (value instanceof List<?> list) {
            return "list of " + list.size();
        }
        if (value instanceof int[] numbers) {
            return Arrays.toString(numbers);
        }
        return value instanceof Object[] array ? Arrays.toString(array) : String.valueOf(value);
    }

    private static Treatment treatment(Field field) {
        return GateFields.of(field.getDeclaringClass()).get(field.getName());
    }

    private static List<Field> instanceFields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                field.setAccessible(true);
                fields.add(field);
            }
        }
        return fields;
    }

    private static final class Silence implements GateEffects {
        @Override
        public void open(int split, SplitPlan plan, Position from) {}

        @Override
        public void persist(GateWrite write) {}

        @Override
        public void acknowledge(int split, SplitProgress durable) {}

        @Override
        public void end(GateEnd how, String why) {}
    }
}
