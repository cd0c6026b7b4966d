package io.tidegate.server.config;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads a file into YAML nodes that know their lines. The parser's own messages are never shown, since they quote the
 * file, and what they quote can be a password that was not put in quotes.
 */
final class YamlFile {

    /** More than any pipeline needs, and little enough to be read whole. */
    private static final long BYTES_MAX = 1 << 20;

    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setUseMarks(true).build();

    /** From how the parser's message begins to what we say; the first that fits. */
    private static final Map<String, String> SYNTAX = Map.of(
            "found undefined alias",
            "a value that begins with * must be in quotes",
            "found undefined tag handle",
            "a value that begins with ! must be in quotes",
            "found character",
            "a value cannot begin with this character. Put it in quotes, and indent with spaces, not tabs",
            "mapping values are not allowed here",
            "a second colon with a space after it. Put the value in quotes",
            "could not find expected ':'",
            "a key without a colon, or a value that goes on at the wrong indentation",
            "expected <block end>",
            "the indentation does not match that of the lines above",
            "found unexpected end of stream",
            "a quote or bracket that is opened here is not closed",
            "found unknown escape character",
            "an unknown escape in double quotes. Put the value in single quotes");

    private YamlFile() {}

    /** The file's one mapping; null if there is none, which is then among the problems. */
    static @Nullable MappingNode read(Path file, Problems problems) {
        String text = text(file, problems);
        if (text == null) {
            return null;
        }
        try {
            Iterator<Node> documents =
                    new Compose(SETTINGS).composeAllFromString(text).iterator();
            if (!documents.hasNext()) {
                problems.add(1, "", "the file is empty", "Write a pipeline; docs/configuration.md shows one");
                return null;
            }
            Node root = documents.next();
            if (documents.hasNext()) {
                problems.add(
                        line(documents.next()),
                        "",
                        "a second YAML document begins here",
                        "Write each pipeline into a file of its own; 'run' takes several");
                return null;
            }
            if (root instanceof MappingNode mapping) {
                return mapping;
            }
            problems.add(line(root), "", "the file is not a mapping of keys to values", "Begin with 'pipeline: NAME'");
            return null;
        } catch (MarkedYamlEngineException e) {
            problems.add(
                    e.getProblemMark()
                            .or(e::getContextMark)
                            .map(mark -> mark.getLine() + 1)
                            .orElse(1),
                    "",
                    "the text is not YAML here: " + syntax(e.getProblem()),
                    "");
            return null;
        } catch (ReaderException e) {
            int line = 1
                    + (int) text.codePoints()
                            .limit(e.getPosition())
                            .filter(c -> c == '\n')
                            .count();
            problems.add(
                    line,
                    "",
                    "a control character, which YAML does not allow",
                    "Write it as an escape in double quotes");
            return null;
        } catch (YamlEngineException e) {
            problems.add(1, "", "the text is not YAML", "");
            return null;
        }
    }

    /** The line on which a node begins, from 1. */
    static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    private static @Nullable String text(Path file, Problems problems) {
        byte[] bytes;
        try {
            if (Files.isDirectory(file)) {
                throw new TidegateException(ErrorCode.CONFIG_UNREADABLE, file + " is a folder, not a file.");
            }
            if (Files.size(file) > BYTES_MAX) {
                problems.add(1, "", "the file has more than " + BYTES_MAX + " bytes", "Give a pipeline's file");
                return null;
            }
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new TidegateException(
                    ErrorCode.CONFIG_UNREADABLE, file + " cannot be read: " + FileFailure.describe(e) + ".", e);
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            problems.add(1, "", "the file is not UTF-8", "Save it as UTF-8");
            return null;
        }
    }

    private static String syntax(@Nullable String problem) {
        String known = problem == null ? "" : problem;
        return SYNTAX.entrySet().stream()
                .filter(entry -> known.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("check quotes, brackets and indentation");
    }
}
