package io.tidegate.engine.store;

import io.tidegate.spi.Disk;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one pipeline, {@code <state directory>/<pipeline>}: its generations {@code state-<number>.log}, at most
 * one {@code .tmp} that is being written, and the lock. Other names are not ours and are left alone.
 */
final class StateFolder {

    private static final System.Logger LOG = System.getLogger(StateFolder.class.getName());

    private static final String LOCK = "lock";
    private static final String TEMPORARY = ".tmp";
    private static final String RESET = ".reset-";
    private static final Pattern GENERATION = Pattern.compile("state-([0-9]{10,18})\\.log");
    private static final Pattern PIPELINE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");

    private final Disk disk;
    private final Path folder;

    StateFolder(Disk disk, Path stateDir, String pipeline) {
        if (!PIPELINE.matcher(pipeline).matches()) {
            throw new IllegalArgumentException("\"" + pipeline + "\" is not the name of a pipeline");
        }
        this.disk = disk;
        this.folder = stateDir.toAbsolutePath().resolve(pipeline);
    }

    Path path() {
        return folder;
    }

    Path file(long generation) {
        return folder.resolve(String.format(Locale.ROOT, "state-%010d.log", generation));
    }

    Path temporary(long generation) {
        return folder.resolve(file(generation).getFileName() + TEMPORARY);
    }

    NavigableSet<Long> generations() throws IOException {
        NavigableSet<Long> found = new TreeSet<>();
        for (String name : disk.list(folder)) {
            Matcher matcher = GENERATION.matcher(name);
            if (matcher.matches()) {
                long generation = Long.parseLong(matcher.group(1));
                if (file(generation).endsWith(name)) {
                    found.add(generation);
                }
            }
        }
        return found;
    }

    Disk.Lock lock(String holder) throws IOException {
        return disk.lock(folder.resolve(LOCK), holder);
    }

    /**
     * Makes the folder, if it is not there, and its name durable before anything is written into it. The lowest directory
     * that is there may be one that a dying process made, so its own name is made durable too.
     */
    void create() throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        Path lowest = folder;
        for (Path up = lowest.getParent(); up != null && !disk.exists(lowest); up = lowest.getParent()) {
            missing.push(lowest);
            lowest = up;
        }
        try {
            forceNameOf(lowest);
        } catch (AccessDeniedException e) {
            // Its parent is not ours to read, so no process of ours made this name: there is nothing to make durable.
            LOG.log(System.Logger.Level.DEBUG, "The name of " + lowest + " cannot be forced", e);
        }
        for (Path next : missing) {
            disk.createDirectories(next);
            forceNameOf(next);
        }
    }

    private void forceNameOf(Path directory) throws IOException {
        @Nullable Path parent = directory.getParent();
        if (parent != null) {
            disk.forceDirectory(parent);
        }
    }

    /** Removes what a write that did not get to its end left. */
    void removeTemporary() throws IOException {
        for (String name : disk.list(folder)) {
            if (name.endsWith(TEMPORARY)
                    && GENERATION
                            .matcher(name.substring(0, name.length() - TEMPORARY.length()))
                            .matches()) {
                disk.delete(folder.resolve(name));
            }
        }
    }

    /** Keeps the newest generation and the one before it. */
    void removeOld() throws IOException {
        NavigableSet<Long> old = generations();
        old.pollLast();
        old.pollLast();
        for (long generation : old) {
            disk.delete(file(generation));
        }
    }

    /** Gives each generation another name, the newest one last: as long as it is there, nothing is reset. */
    List<Path> setAside() throws IOException {
        List<Path> aside = new ArrayList<>();
        NavigableSet<Long> generations = generations();
        String suffix = RESET + unusedReset();
        for (long generation : generations) {
            Path to = folder.resolve(file(generation).getFileName() + suffix);
            disk.rename(file(generation), to);
            aside.add(to);
        }
        disk.forceDirectory(folder); // Also if there was nothing to do: an earlier attempt may have failed here.
        return aside;
    }

    private int unusedReset() throws IOException {
        List<String> names = disk.list(folder);
        int number = 1;
        while (endsWith(names, RESET + number)) {
            number++;
        }
        return number;
    }

    private static boolean endsWith(List<String> names, String suffix) {
        return names.stream().anyMatch(name -> name.endsWith(suffix));
    }
}
