package io.tidegate.bench.process;

import java.util.LinkedHashMap;
import java.util.Map;

/** The {@code name=value} words that a child was started with. */
public record Arguments(Map<String, String> values) {

    public static Arguments of(String[] words) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : words) {
            int at = word.indexOf('=');
            if (at < 1) {
                throw new IllegalArgumentException("not name=value: " + word);
            }
            values.put(word.substring(0, at), word.substring(at + 1));
        }
        return new Arguments(values);
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the argument " + name + " is missing");
        }
        return value;
    }

    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    public long number(String name) {
        return Long.parseLong(text(name));
    }
}
