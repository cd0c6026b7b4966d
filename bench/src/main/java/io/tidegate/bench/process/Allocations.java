package io.tidegate.bench.process;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Map;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * Counts the bytes that this process allocated on its heap, by all threads, also those that ended: how much more there was
 * before each collection than after the one before.
 */
public final class Allocations {

    private static final long SETTLE_NANOS = 1_000_000_000;

    private final long before = collections();
    private long handled;
    private long allocated;
    private long after = used(null);

    /** Begins to count. */
    public Allocations() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector)
                    .addNotificationListener(
                            (notification, back) -> {
                                if (notification
                                        .getType()
                                        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
                                    collected(GarbageCollectionNotificationInfo.from(
                                            (CompositeData) notification.getUserData()));
                                }
                            },
                            null,
                            null);
        }
    }

    private synchronized void collected(GarbageCollectionNotificationInfo info) {
        handled++;
        allocated += Math.max(0, used(info.getGcInfo().getMemoryUsageBeforeGc()) - after);
        after = used(info.getGcInfo().getMemoryUsageAfterGc());
    }

    /** Collects what is left over, and waits until that is counted: else it would be counted later. */
    public void settle() throws InterruptedException {
        System.gc();
        long end = System.nanoTime() + SETTLE_NANOS;
        while (handled() < collections() - before && System.nanoTime() < end) {
            Thread.sleep(1);
        }
    }

    private synchronized long handled() {
        return handled;
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** Bytes since the begin. */
    public synchronized long bytes() {
        return allocated + Math.max(0, used(null) - after);
    }

    private static long used(@org.jspecify.annotations.Nullable Map<String, MemoryUsage> pools) {
        if (pools == null) {
            return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        }
        long sum = 0;
        for (Map.Entry<String, MemoryUsage> pool : pools.entrySet()) {
            String name = pool.getKey();
            if (!name.startsWith("Metaspace") && !name.startsWith("Code") && !name.startsWith("Compressed Class")) {
                sum += pool.getValue().getUsed();
            }
        }
        return sum;
    }
}
