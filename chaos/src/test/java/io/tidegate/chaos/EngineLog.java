package io.tidegate.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Whether a person could use what a process has printed. */
final class EngineLog {

    private static final Pattern LINE = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z (ERROR|WARN |INFO |DEBUG) .*");

    /** Warnings without a code say in words what the matter is, and there are no others. */
    private static final List<String> WORDS = List.of(
            ": stalled: ",
            "the stop took longer than stop_timeout",
            "not everything could be drained in time",
            "nobody reads slot");

    private EngineLog() {}

    /**
     * What is wrong: an error without a code, a fault of the program itself, a stack trace, a line that is no line of the log.
     *
     * @param log all of one process
     */
    static List<String> faults(String log) {
        List<String> faults = new ArrayList<>();
        boolean ended = false;
        for (String line : log.lines().toList()) {
            if (!LINE.matcher(line).matches()) {
                // Behind the log of a process that ended with an error stand its code and what to do.
                ended |= line.startsWith("TG-");
                if (!ended || line.startsWith("\tat ")) {
                    faults.add("no line of the log: " + line);
                }
                continue;
            }
            boolean error = line.contains("Z ERROR ");
            boolean warning = line.contains("Z WARN ");
            boolean coded = line.contains("TG-");
            if ((error && !coded) || (warning && !coded && WORDS.stream().noneMatch(line::contains))) {
                faults.add("without a code: " + line);
            }
            if (line.contains("TG-INTERNAL")) {
                faults.add("a fault of the program: " + line);
            }
        }
        return faults;
    }
}
