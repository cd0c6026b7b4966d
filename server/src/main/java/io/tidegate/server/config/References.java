package io.tidegate.server.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Resolves <code>${env:NAME}</code> and <code>${file:/path}</code> inside values; <code>$${</code> stands for a plain
 * <code>${</code>. One trailing line end of a file is cut. What is resolved is not looked at again.
 */
final class References {

    private static final long FILE_BYTES_MAX = 64 * 1024;

    /**
     * A value as it is used, and as it stands in the file.
     *
     * @param resolved never printed if {@code references} is not empty
     * @param references the resolved text of each reference
     */
    record Text(String resolved, String written, List<String> references) {}

    /** A reference that gives nothing; the message says why. */
    static final class MissingException extends Exception {
        private static final long serialVersionUID = 1;

        MissingException(String message) {
            super(message);
        }
    }

    /** A <code>${</code> that is no reference. */
    static final class SyntaxException extends Exception {
        private static final long serialVersionUID = 1;

        SyntaxException(String message) {
            super(message);
        }
    }

    private final Path folder;
    private final UnaryOperator<@Nullable String> environment;

    References(Path folder, UnaryOperator<@Nullable String> environment) {
        this.folder = folder;
        this.environment = environment;
    }

    Text resolve(String written) throws MissingException, SyntaxException {
        StringBuilder out = new StringBuilder();
        List<String> found = new ArrayList<>();
        int at = 0;
        while (at < written.length()) {
            if (written.startsWith("$${", at)) {
                out.append("${");
                at += 3;
            } else if (written.startsWith("${", at)) {
                int end = written.indexOf('}', at);
                String value = reference(end < 0 ? "" : written.substring(at + 2, end));
                found.add(value);
                out.append(value);
                at = end + 1;
            } else {
                out.append(written.charAt(at++));
            }
        }
        return new Text(out.toString(), written, List.copyOf(found));
    }

    private String reference(String inside) throws MissingException, SyntaxException {
        if (inside.matches("env:[A-Za-z_][A-Za-z0-9_]*")) {
            String name = inside.substring("env:".length());
            String value = environment.apply(name);
            if (value == null) {
                throw new MissingException("the environment variable " + name + " is not set");
            }
            return value;
        }
        if (inside.startsWith("file:") && inside.length() > "file:".length()) {
            return content(inside.substring("file:".length()));
        }
        throw new SyntaxException("${ begins a reference, and this is none");
    }

    private String content(String name) throws MissingException {
        try {
            Path path = folder.resolve(name);
            if (Files.size(path) > FILE_BYTES_MAX) {
                throw new MissingException("the file " + name + " has more than " + FILE_BYTES_MAX + " bytes");
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Files.readAllBytes(path)))
                    .toString();
            return text.replaceFirst("\\r?\\n\\z", "");
        } catch (CharacterCodingException e) {
            throw new MissingException("the file " + name + " is not UTF-8 text");
        } catch (IOException e) {
            throw new MissingException("the file " + name + " cannot be read: " + FileFailure.describe(e));
        } catch (InvalidPathException e) {
            throw new MissingException("the path of the file is not one");
        }
    }
}
