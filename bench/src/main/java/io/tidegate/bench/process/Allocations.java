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
        allocated += Math.max(0, used(info.getGcInfo().getMemoryUsageBeforeGc()) - after);
        after = used(info.getGcInfo().getMemoryUsageAfterGc());
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
