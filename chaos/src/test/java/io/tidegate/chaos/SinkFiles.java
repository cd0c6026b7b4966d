package io.tidegate.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What the sink {@code file} has written into a folder, also while it writes. */
record SinkFiles(Path out) {

    private static final int TAIL_BYTES = 64 << 10;

    /** Bytes in all files of the sink. */
    long bytes() {
        return files().stream().mapToLong(SinkFiles::size).sum();
    }

    /** Whether a text stands near the end of what was written. */
    boolean endsWith(String text) {
        List<Path> files = files();
        for (Path path : files.subList(Math.max(0, files.size() - 2), files.size())) {
            if (tail(path).contains(text)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a text stands anywhere in what was written. For small outputs. */
    boolean holds(String text) {
        return files().stream().anyMatch(path -> {
            try {
                return Files.readString(path).contains(text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** All lines, file after file. */
    Stream<String> lines() {
        return files().stream().flatMap(SinkFiles::linesOf);
    }

    /** All lines that have their end, also while a process writes, or after one was killed. */
    List<String> wholeLines() {
        List<String> lines = new ArrayList<>();
        for (Path path : files()) {
            String text;
            try {
                text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(lines::add);
        }
        return lines;
    }

    /** Closed by the stream that it becomes part of. */
    @SuppressWarnings("StreamResourceLeak")
    private static Stream<String> linesOf(Path path) {
        try {
            return Files.lines(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In order. */
    private List<Path> files() {
        if (!Files.isDirectory(out)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(out)) {
            return all.filter(path -> path.getFileName().toString().contains(".jsonl"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long size(Path path) {
        try {
            return Files.size(path);
        } catch (IOException finished) {
            // Renamed just now; the next look sees it.
            return 0;
        }
    }

    private static String tail(Path path) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long from = Math.max(0, file.length() - TAIL_BYTES);
            byte[] bytes = new byte[(int) (file.length() - from)];
            file.seek(from);
            int read = file.read(bytes);
            return new String(bytes, 0, Math.max(0, read), StandardCharsets.UTF_8);
        } catch (IOException finished) {
            // Renamed just now; the next look sees it.
            return "";
        }
    }
}
