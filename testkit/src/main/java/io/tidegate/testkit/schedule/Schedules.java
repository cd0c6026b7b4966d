package io.tidegate.testkit.schedule;

import io.tidegate.testkit.mutant.MutantCompiler;
import io.tidegate.testkit.mutant.Replacement;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.jvm.agent.LincheckClassFileTransformer;
import org.jetbrains.lincheck.jvm.agent.LincheckInstrumentation;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario under Lincheck's model checker: again and again, with other switches between its threads each time. Time
 * stands still meanwhile, and a wait with a limit waits without one: so what relies on a limit to go on is seen to hang.
 */
public final class Schedules {

    private Schedules() {}

    /**
     * Why a scenario fails, with the schedule in which it does; null if it does in none of those tried.
     *
     * @param scenario starts its threads and ends after them; what it throws is its failure, and so is that it hangs
     * @param schedules how many are tried at most
     */
    public static @Nullable String failure(Runnable scenario, int schedules) {
        try {
            Lincheck.runConcurrentTest(schedules, scenario);
            return null;
        } catch (LincheckAssertionError e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * The same with a rule of the code broken in the running JVM, and mended afterwards: a class loader of the mutant's own
     * would not do, since Lincheck knows classes by their names.
     *
     * @param broken changes bodies of methods, and neither which there are nor fields
     */
    public static @Nullable String failure(Replacement broken, Runnable scenario, int schedules)
            throws IOException, ReflectiveOperationException {
        Lincheck.runConcurrentTest(1, () -> {}); // it is in the JVM from its first run on
        Instrumentation jvm = LincheckInstrumentation.INSTANCE.getInstrumentation();
        Map<Class<?>, byte[]> changed = new LinkedHashMap<>();
        for (Map.Entry<String, byte[]> each : MutantCompiler.compile(broken).entrySet()) {
            Class<?> type = Class.forName(each.getKey());
            if (!type.isRecord() && !type.isInterface() && !type.isEnum()) { // the JVM refuses those
                changed.put(type, each.getValue());
            }
        }
        try {
            for (Map.Entry<Class<?>, byte[]> each : changed.entrySet()) {
                redefine(jvm, each.getKey(), each.getValue());
            }
            return failure(scenario, schedules);
        } finally {
            for (Class<?> type : changed.keySet()) {
                redefine(jvm, type, original(type));
            }
        }
    }

    private static void redefine(Instrumentation jvm, Class<?> type, byte[] code) throws ReflectiveOperationException {
        try {
            jvm.redefineClasses(new ClassDefinition(type, code));
        } catch (UnmodifiableClassException e) {
            throw new IllegalArgumentException(e);
        }
        // Lincheck would else run what the class was before, or run it without switches.
        LincheckClassFileTransformer lincheck = LincheckClassFileTransformer.INSTANCE;
        String name = type.getName();
        byte[] watched = lincheck.transformImpl(type.getClassLoader(), name.replace('.', '/'), code);
        lincheck.getTransformedClassesCache().put(name, watched);
    }

    private static byte[] original(Class<?> type) throws IOException {
        String file = type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getClassLoader().getResourceAsStream(file)) {
            return Objects.requireNonNull(in, file).readAllBytes();
        }
    }
}
