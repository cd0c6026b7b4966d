package io.tidegate.connector.files;

import io.tidegate.spi.Disk;
import io.tidegate.spi.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The streams of a session: one for all tables, or one for each. Bounds the open files. Belongs to a session's thread. */
final class LineStreams {

    /** Files open at once. */
    static final int HANDLES_MAX = 128;

    private record Key(String namespace, String table) {}

    private final Disk disk;
    private final FileLayout layout;
    private final ForcedLengths lengths;
    private final long startedNanos;
    private final Map<Path, LineStream> streams = new LinkedHashMap<>();
    private final Map<Key, LineStream> byTable = new HashMap<>();
    private final Map<LineStream, Boolean> handles = new LinkedHashMap<>(16, 0.75f, true);
    private @Nullable TableSchema lastTable;
    private @Nullable LineStream last;

    LineStreams(Disk disk, FileLayout layout, ForcedLengths lengths, long startedNanos) {
        this.disk = disk;
        this.layout = layout;
        this.lengths = lengths;
        this.startedNanos = startedNanos;
    }

    /** Recovers every stream that there are files of. */
    void recover() throws IOException {
        if (!layout.tablesApart()) {
            disk.forceDirectory(layout.folder());
            stream(layout.folder(), layout.pipeline());
            return;
        }
        Path root = layout.folder().resolve(layout.pipeline());
        Folders.create(disk, root);
        for (String namespace : disk.list(root)) {
            if (FileNames.escaped(namespace)) {
                recoverNamespace(root.resolve(namespace));
            }
        }
    }

    private void recoverNamespace(Path folder) throws IOException {
        disk.forceDirectory(folder);
        TreeSet<String> names = new TreeSet<>();
        for (String entry : disk.list(folder)) {
            names.add(FileNames.streamOf(entry, FileNames.OPEN));
            names.add(FileNames.streamOf(entry, FileNames.FINISHED));
        }
        names.remove("");
        for (String name : names) {
            stream(folder, name);
        }
    }

    /** The stream that the changes of a table go to. */
    @SuppressWarnings("ReferenceEquality") // a schema travels by reference: the same object is the same table
    LineStream of(TableSchema table) throws IOException {
        LineStream found = last;
        if (found == null || lastTable != table) {
            found = find(table);
            last = found;
            lastTable = table;
        }
        return found;
    }

    private LineStream find(TableSchema table) throws IOException {
        if (!layout.tablesApart()) {
            return stream(layout.folder(), layout.pipeline());
        }
        Key key = new Key(table.namespace(), table.name());
        LineStream found = byTable.get(key);
        if (found == null) {
            Path folder = layout.folder().resolve(layout.pipeline()).resolve(FileNames.escape(table.namespace()));
            Folders.create(disk, folder);
            found = stream(folder, FileNames.escape(table.name()));
            byTable.put(key, found);
        }
        return found;
    }

    private LineStream stream(Path folder, String name) throws IOException {
        Path key = folder.resolve(name);
        LineStream found = streams.get(key);
        if (found == null) {
            found = new LineStream(disk, folder, name, lengths, startedNanos);
            streams.put(key, found);
            found.recover();
            used(found);
        }
        return found;
    }

    /** Says that a stream needs its file open; the one that was idle longest gives its own back if they are too many. */
    void used(LineStream stream) throws IOException {
        handles.put(stream, Boolean.TRUE);
        if (handles.size() > HANDLES_MAX) {
            LineStream idle = handles.keySet().iterator().next();
            handles.remove(idle);
            idle.force();
            idle.park();
        }
    }

    Collection<LineStream> all() {
        return streams.values();
    }

    /** Closes every file, whatever fails. */
    void close() throws IOException {
        IOException first = null;
        for (LineStream stream : new ArrayList<>(streams.values())) {
            try {
                stream.close();
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
