package io.tidegate.server.config;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Gathers what is wrong in one file, so that all of it is said at once. Belongs to one thread. */
final class Problems {

    /** @param line counted from 1 */
    private record Problem(ErrorCode code, int line, String text) {}

    private final Path file;
    private final List<Problem> found = new ArrayList<>();

    Problems(Path file) {
        this.file = file;
    }

    /** @param what without a full stop, as is {@code cure} */
    void add(int line, String key, String what, String cure) {
        add(ErrorCode.CONFIG_INVALID, line, key, what, cure);
    }

    void add(ErrorCode code, int line, String key, String what, String cure) {
        String subject = key.isEmpty() ? "" : key + ": ";
        found.add(new Problem(code, line, subject + sentence(what) + (cure.isEmpty() ? "" : " " + sentence(cure))));
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    /** One line for each problem, in the order of the file. */
    TidegateException toException() {
        List<String> lines = found.stream()
                .sorted(Comparator.comparingInt(Problem::line))
                .map(problem -> file + ":" + problem.line() + ": " + problem.text())
                .distinct()
                .collect(Collectors.toList());
        ErrorCode code = found.stream().allMatch(problem -> problem.code() == ErrorCode.SECRET_MISSING)
                ? ErrorCode.SECRET_MISSING
                : ErrorCode.CONFIG_INVALID;
        String head = lines.size() == 1 ? "" : lines.size() + " problems:\n  ";
        return new TidegateException(code, head + String.join("\n  ", lines));
    }

    private static String sentence(String text) {
        return text.endsWith(".") || text.endsWith("?") ? text : text + ".";
    }
}
