package io.tidegate.testkit.mutant;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A test that is called by its name, in classes that were loaded anew. It is one that needs nothing around it: no methods
 * before or after it, no folder.
 *
 * @param type the test's class
 * @param method of which there is one of that name
 * @param arguments numbers, texts and truth values
 */
public record Scenario(String type, String method, List<Object> arguments) {

    public static Scenario of(Class<?> type, String method, Object... arguments) {
        return new Scenario(type.getName(), method, List.of(arguments));
    }

    /** What the test fails with; null if it passes. */
    @Nullable
    Throwable failure(ClassLoader loader) {
        try {
            Method test = method(loader);
            Constructor<?> constructor = test.getDeclaringClass().getDeclaredConstructor();
            constructor.setAccessible(true);
            test.setAccessible(true);
            test.invoke(constructor.newInstance(), arguments.toArray());
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot call " + this, e);
        }
    }

    /** Whether it is a test by its own, with these arguments where it has any. */
    boolean isRunByTheBuild() {
        try {
            Method test = method(ClassLoader.getSystemClassLoader());
            ValueSource values = test.getAnnotation(ValueSource.class);
            boolean listed = values == null
                    ? arguments.isEmpty() && test.isAnnotationPresent(Test.class)
                    : test.isAnnotationPresent(ParameterizedTest.class) && listed(values);
            return listed && type.matches(".*(Test|IT)");
        } catch (ClassNotFoundException e) {
            throw new AssertionError("no class of " + this, e);
        }
    }

    private boolean listed(ValueSource values) {
        Object argument = arguments.size() == 1 ? arguments.get(0) : null;
        return Stream.of(
                        Arrays.stream(values.ints()).boxed(),
                        Arrays.stream(values.strings()),
                        IntStream.range(0, values.booleans().length).mapToObj(i -> values.booleans()[i]))
                .flatMap(all -> all)
                .anyMatch(value -> value.equals(argument));
    }

    private Method method(ClassLoader loader) throws ClassNotFoundException {
        return Arrays.stream(loader.loadClass(type).getDeclaredMethods())
                .filter(each -> each.getName().equals(method) && !each.isSynthetic())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no test " + this));
    }

    @Override
    public String toString() {
        return type.substring(type.lastIndexOf('.') + 1) + "." + method;
    }
}
