package io.tidegate.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a process has used, from /proc (proc(5)): processor seconds in user and system mode, and the most memory that was
 * resident at once.
 *
 * @param childrenSeconds processor seconds of children that have ended and were waited for
 */
public record Usage(double userSeconds, double systemSeconds, double childrenSeconds, long peakResidentBytes) {

    /** USER_HZ, which Linux fixes at 100 for programs on every platform that matters here. */
    private static final double TICKS_PER_SECOND = 100;

    private static final int USER_TICKS = 11;
    private static final String PEAK = "VmHWM:";

    public static Usage self() {
        return of(ProcessHandle.current().pid());
    }

    /** What a process has used until now; all zero if it is gone. */
    public static Usage of(long pid) {
        Path folder = Path.of("/proc", Long.toString(pid));
        try {
            String stat = Files.readString(folder.resolve("stat"));
            // the name, in parentheses, may hold anything; state is the field after it, utime the twelfth
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return new Usage(
                    seconds(fields[USER_TICKS]),
                    seconds(fields[USER_TICKS + 1]),
                    seconds(fields[USER_TICKS + 2]) + seconds(fields[USER_TICKS + 3]),
                    peak(Files.readAllLines(folder.resolve("status"))));
        } catch (NoSuchFileException gone) {
            return new Usage(0, 0, 0, 0);
        } catch (IOException e) {
            if (!Files.exists(folder)) {
                return new Usage(0, 0, 0, 0);
            }
            throw new UncheckedIOException(e);
        }
    }

    /** Processor seconds of a process, of its living descendants, and of all that have ended. */
    public static double treeSeconds(long pid) {
        double sum = of(pid).allSeconds();
        List<ProcessHandle> below = ProcessHandle.of(pid).map(ProcessHandle::descendants).stream()
                .flatMap(s -> s)
                .toList();
        for (ProcessHandle one : below) {
            sum += of(one.pid()).allSeconds();
        }
        return sum;
    }

    public double cpuSeconds() {
        return userSeconds + systemSeconds;
    }

    private double allSeconds() {
        return cpuSeconds() + childrenSeconds;
    }

    private static long peak(List<String> status) {
        for (String line : status) {
            if (line.startsWith(PEAK)) {
                return Long.parseLong(line.substring(PEAK.length(), line.length() - " kB".length())
                                .strip())
                        * 1024;
            }
        }
        return 0;
    }

    private static double seconds(String ticks) {
        return Long.parseLong(ticks) / TICKS_PER_SECOND;
    }
}
