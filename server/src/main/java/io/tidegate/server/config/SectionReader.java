package io.tidegate.server.config;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Nearest;
import io.tidegate.spi.Secret;
import io.tidegate.spi.Setting;
import io.tidegate.spi.SettingText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads one block of a file against its settings. Only known keys are descended into, so neither a wrong file nor
 * anchors that refer to each other cost more than the settings allow.
 */
final class SectionReader {

    private final Map<String, Setting<?>> settings = new LinkedHashMap<>();
    private final Set<String> blocks;
    private final References references;
    private final Problems problems;

    /** @param blocks keys at the top of this block whose nodes are only handed out */
    SectionReader(List<Setting<?>> settings, Set<String> blocks, References references, Problems problems) {
        for (Setting<?> setting : settings) {
            if (this.settings.put(setting.key(), setting) != null) {
                throw new IllegalArgumentException("two settings are called " + setting.key());
            }
        }
        for (String key : this.settings.keySet()) {
            if (this.settings.keySet().stream().anyMatch(other -> other.startsWith(key + "."))) {
                throw new IllegalArgumentException(key + " cannot have a value and keys below it");
            }
        }
        this.blocks = blocks;
        this.references = references;
        this.problems = problems;
    }

    /** @param node null: the block is empty, and everything has its default */
    Section read(String prefix, int line, @Nullable MappingNode node) {
        Section section = new Section(prefix, line);
        if (node != null) {
            descend(section, "", node);
        }
        for (Setting<?> setting : settings.values()) {
            if (setting.required() && !section.lines.containsKey(setting.key())) {
                section.unusable.add(setting.key());
                problems.add(line, prefix + setting.key(), "is missing", "Add it: " + setting.doc());
            }
        }
        return section;
    }

    private void descend(Section section, String parent, MappingNode node) {
        Map<String, Integer> seen = new HashMap<>();
        for (NodeTuple entry : node.getValue()) {
            int line = YamlFile.line(entry.getKeyNode());
            if (!(entry.getKeyNode() instanceof ScalarNode keyNode)) {
                problems.add(line, section.prefix + parent, "a key must be a word", "Put values with braces in quotes");
                continue;
            }
            String name = keyNode.getValue();
            Integer before = seen.putIfAbsent(name, line);
            if (before != null) {
                problems.add(
                        line,
                        section.prefix + parent + name,
                        "is given twice, first on line " + before,
                        "Keep one of them");
                continue;
            }
            entry(section, parent, name, line, entry.getValueNode());
        }
    }

    private void entry(Section section, String parent, String name, int line, Node value) {
        String key = parent + name;
        Setting<?> setting = settings.get(key);
        if (setting != null && !name.contains(".")) {
            section.lines.put(key, line);
            value(section, setting, value);
        } else if (parent.isEmpty() && blocks.contains(name)) {
            section.blocks.put(name, value);
            section.lines.put(name, line);
        } else if (settings.keySet().stream().anyMatch(known -> known.startsWith(key + ".")) && !name.contains(".")) {
            section.lines.put(key, line);
            if (value instanceof MappingNode group) {
                descend(section, key + ".", group);
            } else if (!isNull(value)) {
                problems.add(
                        line,
                        section.prefix + key,
                        "must have keys below it",
                        "Known are " + String.join(", ", namesBelow(key + ".")));
            }
        } else {
            problems.add(line, section.prefix + key, "is not a known key", suggestion(section, parent, name));
        }
    }

    private void value(Section section, Setting<?> setting, Node node) {
        Optional<Object> read;
        try {
            read = switch (setting.type()) {
                case LIST -> list(section, setting, node);
                case MAP -> map(section, setting, node);
                case TEXT, SECRET, CHOICE, BOOLEAN, INTEGER, DURATION, SIZE -> scalar(section, setting, node);
            };
        } catch (SettingText.BadTextException e) {
            String what = e.what() + shown(setting, node);
            problems.add(YamlFile.line(node), section.prefix + setting.key(), what, e.cure());
            read = Optional.empty();
        }
        read.ifPresentOrElse(
                value -> section.values.put(setting.key(), value), () -> section.unusable.add(setting.key()));
    }

    private Optional<Object> scalar(Section section, Setting<?> setting, Node node)
            throws SettingText.BadTextException {
        Optional<String> resolved = text(section, setting, node);
        if (resolved.isEmpty()) {
            return Optional.empty();
        }
        String text = resolved.get();
        return Optional.of(
                switch (setting.type()) {
                    case TEXT -> text;
                    case SECRET -> new Secret(text);
                    case CHOICE -> SettingText.choice(setting, text);
                    case BOOLEAN -> SettingText.bool(text);
                    case INTEGER -> SettingText.integer(setting, text);
                    case DURATION -> SettingText.duration(setting, text);
                    case SIZE -> SettingText.size(setting, text);
                    case LIST, MAP -> throw new IllegalArgumentException(setting.key() + " is not a scalar");
                });
    }

    private Optional<Object> list(Section section, Setting<?> setting, Node node) throws SettingText.BadTextException {
        if (!(node instanceof SequenceNode sequence)) {
            throw new SettingText.BadTextException("must be a list", "Write [a, b], or each on a line with '- '");
        }
        List<String> elements = new ArrayList<>();
        for (Node element : sequence.getValue()) {
            text(section, setting, element).ifPresent(elements::add);
        }
        boolean whole = elements.size() == sequence.getValue().size();
        return whole ? Optional.of(List.copyOf(elements)) : Optional.empty();
    }

    private Optional<Object> map(Section section, Setting<?> setting, Node node) throws SettingText.BadTextException {
        if (!(node instanceof MappingNode mapping)) {
            throw new SettingText.BadTextException("must be keys with values", "Write {key: value, …}");
        }
        Map<String, String> entries = new LinkedHashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            Optional<String> value = text(section, setting, entry.getValueNode());
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                throw new SettingText.BadTextException("must have words as keys", "Put the key in quotes");
            }
            if (entries.putIfAbsent(key.getValue(), value.orElse("")) != null) {
                problems.add(YamlFile.line(key), section.prefix + setting.key(), "has a key twice", "Keep one of them");
                return Optional.empty();
            }
            if (value.isEmpty()) {
                return Optional.empty();
            }
        }
        return Optional.of(Map.copyOf(entries));
    }

    /** The text of a scalar, with its references resolved; nothing if that cannot be, which is then said. */
    private Optional<String> text(Section section, Setting<?> setting, Node node) throws SettingText.BadTextException {
        if (!(node instanceof ScalarNode scalar)) {
            throw new SettingText.BadTextException(
                    "must be a single value", "Write it after the colon; put values with brackets in quotes");
        }
        if (!node.getTag().getValue().startsWith(Tag.PREFIX)) {
            throw new SettingText.BadTextException("must not have a tag", "Put values that begin with ! in quotes");
        }
        if (isNull(node)) {
            throw new SettingText.BadTextException(
                    "has no value", "Write one, or leave the key out; put the words null and ~ in quotes");
        }
        int line = YamlFile.line(node);
        String key = section.prefix + setting.key();
        try {
            References.Text text = references.resolve(scalar.getValue());
            hide(section, setting, text);
            return Optional.of(text.resolved());
        } catch (References.MissingException e) {
            String what = String.valueOf(e.getMessage());
            problems.add(ErrorCode.SECRET_MISSING, line, key, what, ErrorCode.SECRET_MISSING.advice());
        } catch (References.SyntaxException e) {
            problems.add(
                    line,
                    key,
                    String.valueOf(e.getMessage()),
                    "Write ${env:NAME} or ${file:/path}, or $${ for a plain ${");
        }
        return Optional.empty();
    }

    private static void hide(Section section, Setting<?> setting, References.Text text) {
        boolean secret = setting.type() == Setting.Type.SECRET;
        if (secret && !text.resolved().isEmpty()) {
            section.hidden.add(new Section.Hidden(text.resolved(), "***"));
        }
        for (String referenced : text.references()) {
            if (!referenced.isEmpty()) {
                section.hidden.add(new Section.Hidden(referenced, secret ? "***" : text.written()));
            }
        }
    }

    /** The value as it stands in the file, for an error message; nothing of a secret. */
    private static String shown(Setting<?> setting, Node node) {
        if (setting.type() == Setting.Type.SECRET || !(node instanceof ScalarNode scalar) || isNull(node)) {
            return "";
        }
        String text = scalar.getValue().replaceAll("\\p{Cntrl}", "?");
        return ", not \"" + (text.length() > 80 ? text.substring(0, 80) + "…" : text) + '"';
    }

    private static boolean isNull(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    private String suggestion(Section section, String parent, String name) {
        if (settings.containsKey(parent + name) || settings.containsKey(name)) {
            return "Write it nested: " + (parent + name).replace(".", ": ");
        }
        Set<String> names = namesBelow(parent);
        Optional<String> near = Nearest.of(name, names).map(word -> parent + word);
        if (near.isEmpty()) {
            near = settings.keySet().stream()
                    .filter(key -> key.endsWith("." + name))
                    .findFirst();
        }
        return near.map(key -> "Did you mean " + section.prefix + key + "?")
                .orElse("Known here are " + String.join(", ", names));
    }

    /** The names that may stand at one level. */
    private Set<String> namesBelow(String parent) {
        Set<String> names = settings.keySet().stream()
                .filter(key -> key.startsWith(parent))
                .map(key -> key.substring(parent.length()).replaceFirst("\\..*", ""))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (parent.isEmpty()) {
            names.addAll(blocks);
        }
        return names;
    }
}
