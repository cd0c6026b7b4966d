package io.tidegate.testkit.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.gate.Batcher;
import io.tidegate.engine.gate.Gate;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link GateTwinTest} asks of the core, asked of the world around it. */
class WorldTwinTest {

    /** Classes whose objects change as the world goes on; those of the core are looked at elsewhere. */
    private static final Set<Class<?>> PARTS = Set.of(World.class, Ground.class, Run.class, Reading.class);

    private static final Set<Class<?>> CORE = Set.of(Gate.class, Batcher.class);

    private static World walked(Configuration configuration, Random random, int steps) {
        World world = new World(configuration);
        Choices choices = new Choices();
        for (int i = 0; i < steps; i++) {
            world.choices(choices);
            if (choices.size() == 0) {
                break;
            }
            boolean fault = choices.progress() == 0 || random.nextInt(9) == 0;
            world.apply(choices.get(random.nextInt(fault ? choices.size() : choices.progress())));
        }
        return world;
    }

    @Test
    void aCopyHasEachFieldAndTheOriginalStaysAsItIsWhenTheCopyGoesOn() throws Exception {
        Map<String, Integer> values = new TreeMap<>();
        for (Configuration configuration : Configurations.all()) {
            for (int seed = 0; seed < 200; seed++) {
                Random random = new Random(seed);
                World world = walked(configuration, random, 5 + seed % 60);
                World copy = new World(world);
                Map<String, String> before = fields(world);
                assertThat(fields(copy))
                        .as("%s, seed %s", configuration.name, seed)
                        .isEqualTo(before);
                assertThat(copy.digest()).isEqualTo(world.digest());
                Choices choices = new Choices();
                for (int i = 0; i < 20; i++) {
                    copy.choices(choices);
                    if (choices.size() > 0) {
                        copy.apply(choices.get(random.nextInt(choices.size())));
                    }
                }
                assertThat(fields(world)).isEqualTo(before);
                before.forEach(
                        (field, value) -> values.merge(field.replaceAll("\\d+", "n") + "=" + value, 1, Integer::sum));
            }
        }
        assertThat(values.keySet().stream().filter(value -> value.startsWith("run.stopBy=")))
                .as("values that a field had, as a sign that the walks go somewhere")
                .hasSizeGreaterThan(3);
    }

    /** A field that the digest leaves out would make two states one that go on differently. */
    @ParameterizedTest
    @ValueSource(strings = {"idle", "steps", "replan", "log-from"})
    void statesOfOneDigestGoOnInTheSameWay(String name) {
        Map<Long, List<Long>> next = new HashMap<>();
        Queue<World> left = new ArrayDeque<>();
        left.add(new World(Configurations.named(name)));
        int metAgain = 0;
        while (!left.isEmpty() && next.size() < 10_000) {
            World world = left.remove();
            List<World> after = after(world);
            List<Long> goesOn = new ArrayList<>();
            after.forEach(each -> goesOn.add(each.digest()));
            List<Long> before = next.putIfAbsent(world.digest(), goesOn);
            if (before == null) {
                left.addAll(after);
            } else {
                assertThat(goesOn).as("what follows in %s", name).isEqualTo(before);
                metAgain++;
            }
        }
        assertThat(metAgain).isGreaterThan(5_000);
    }

    private static List<World> after(World world) {
        Choices choices = new Choices();
        world.choices(choices);
        List<World> after = new ArrayList<>();
        for (int step : choices.toArray()) {
            World copy = new World(world);
            copy.apply(step);
            after.add(copy);
        }
        return after;
    }

    private static Map<String, String> fields(World world) throws IllegalAccessException {
        Map<String, String> fields = new TreeMap<>();
        show("", world, fields);
        return fields;
    }

    private static void show(String path, Object value, Map<String, String> into) throws IllegalAccessException {
        if (value == null || CORE.contains(value.getClass())) {
            into.put(path, value == null ? "null" : "core");
        } else if (PARTS.contains(value.getClass())) {
            for (Field field : value.getClass().getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    show(path + (path.isEmpty() ? "" : ".") + field.getName(), field.get(value), into);
                }
            }
        } else if (value.getClass().isArray()
                && !value.getClass().getComponentType().isPrimitive()) {
            for (int i = 0; i < Array.getLength(value); i++) {
                show(path + i, Array.get(value, i), into);
            }
        } else {
            into.put(path, text(value));
        }
    }

    private static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return Arrays.toString(bytes);
        }
        if (value instanceof int[] numbers) {
            return Arrays.toString(numbers);
        }
        return value instanceof long[] numbers ? Arrays.toString(numbers) : value.toString();
    }
}
