package io.tidegate.testkit.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The content of a file: what is on the platter, what the cache shows, and the edits between the two, in order. */
final class CachedFile implements CachedNode {

    /** Small, so that a record of a few hundred bytes spans several. */
    private static final int PAGE_BYTES = 64;

    private final List<Edit> unforced = new ArrayList<>();
    private byte[] durable;
    private byte[] cached;

    CachedFile(byte[] durable) {
        this.durable = durable;
        this.cached = durable;
    }

    private interface Edit {
        byte[] on(byte[] content);

        /** The edit as it is when only some first part of it got through. */
        Edit cut(RandomGenerator choices);
    }

    private static final class Write implements Edit {

        private final int at;
        private final byte[] bytes;

        Write(int at, byte[] bytes) {
            this.at = at;
            this.bytes = bytes;
        }

        @Override
        public byte[] on(byte[] content) {
            if (bytes.length == 0) {
                return content;
            }
            byte[] after = Arrays.copyOf(content, Math.max(content.length, at + bytes.length));
            System.arraycopy(bytes, 0, after, at, bytes.length);
            return after;
        }

        @Override
        public Edit cut(RandomGenerator choices) {
            return new Write(at, Arrays.copyOf(bytes, choices.nextInt(bytes.length + 1)));
        }
    }

    private record Truncate(int size) implements Edit {
        @Override
        public byte[] on(byte[] content) {
            return Arrays.copyOf(content, size);
        }

        @Override
        public Edit cut(RandomGenerator choices) {
            return this;
        }
    }

    byte[] cached() {
        return cached;
    }

    void write(long at, byte[] bytes) {
        edit(new Write(Math.toIntExact(at), bytes));
    }

    void truncate(long size) {
        if (size < cached.length) {
            edit(new Truncate(Math.toIntExact(size)));
        }
    }

    private void edit(Edit edit) {
        unforced.add(edit);
        cached = edit.on(cached);
    }

    void force() {
        for (Edit edit : unforced) {
            durable = edit.on(durable);
        }
        unforced.clear();
    }

    /** Some of it is written, and all of it is taken for written from now on. */
    void markClean(RandomGenerator choices, Map<DiskEvent, Long> events) {
        durable = afterPowerLoss(choices, events);
        unforced.clear();
    }

    @Override
    public CachedFile crash(RandomGenerator choices, Map<DiskEvent, Long> events) {
        return new CachedFile(afterPowerLoss(choices, events));
    }

    private byte[] afterPowerLoss(RandomGenerator choices, Map<DiskEvent, Long> events) {
        if (unforced.isEmpty()) {
            return durable;
        }
        DiskEvent event = List.of(
                        DiskEvent.CONTENT_LOST, DiskEvent.CONTENT_KEPT, DiskEvent.CONTENT_CUT, DiskEvent.PAGES_LOST)
                .get(choices.nextInt(4));
        events.merge(event, 1L, Long::sum);
        return switch (event) {
            case CONTENT_KEPT -> first(unforced.size());
            case CONTENT_CUT -> {
                int whole = choices.nextInt(unforced.size());
                yield unforced.get(whole).cut(choices).on(first(whole));
            }
            case PAGES_LOST -> somePages(first(unforced.size()), choices);
            case CONTENT_LOST, FAULT, OUT_OF_SPACE, NAMES_LOST, NAMES_KEPT -> durable;
        };
    }

    private byte[] first(int edits) {
        byte[] content = durable;
        for (Edit edit : unforced.subList(0, edits)) {
            content = edit.on(content);
        }
        return content;
    }

    /** Old or new size, and each page old or new; what is in neither is zero. */
    private byte[] somePages(byte[] after, RandomGenerator choices) {
        byte[] mixed = new byte[choices.nextBoolean() ? after.length : durable.length];
        for (int page = 0; page < mixed.length; page += PAGE_BYTES) {
            byte[] from = choices.nextBoolean() ? after : durable;
            int end = Math.min(Math.min(page + PAGE_BYTES, mixed.length), from.length);
            if (end > page) {
                System.arraycopy(from, page, mixed, page, end - page);
            }
        }
        return mixed;
    }
}
