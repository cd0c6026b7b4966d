package io.tidegate.server.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * One block of a file, read: the engine's keys, or those of a connector. Filled by {@link SectionReader}, then not changed
 * any more.
 */
final class Section {

    /** Shown before each key: empty, or such as {@code source.postgres.} */
    final String prefix;

    /** Where the block begins: the line of what is missing from it. */
    final int line;

    /** By the setting's key, as the object that its type names. */
    final Map<String, Object> values = new HashMap<>();

    /** Where each key stands, also of values that are wrong. */
    final Map<String, Integer> lines = new HashMap<>();

    /** Keys whose value is wrong or missing, which has been said. */
    final Set<String> unusable = new HashSet<>();

    /** Nodes under the keys that are not settings but blocks of their own. */
    final Map<String, Node> blocks = new HashMap<>();

    /** Texts that must not be printed, with what is printed in their place. */
    final List<Hidden> hidden = new ArrayList<>();

    /** @param shown the reference as it stands in the file, or stars */
    record Hidden(String text, String shown) {}

    Section(String prefix, int line) {
        this.prefix = prefix;
        this.line = line;
    }

    int lineOf(String key) {
        return lines.getOrDefault(key, line);
    }

    /** The text without what must not be printed. */
    String redact(String text) {
        String shown = text;
        for (Hidden secret : hidden) {
            shown = shown.replace(secret.text(), secret.shown());
        }
        return shown;
    }
}
