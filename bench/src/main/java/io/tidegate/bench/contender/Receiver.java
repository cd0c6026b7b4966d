package io.tidegate.bench.contender;

import io.tidegate.bench.process.ChildReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The receiving end, the same for every contender: counts what arrives, knows when it began and when the last came, and looks at
 * the bytes of the last. One thread takes; another waits.
 */
public final class Receiver {

    /** In which a change that should not come would come. */
    private static final int AFTER_MILLIS = 200;

    private final ChildReport report;
    private final long expected;
    private final byte[] mark;
    private final CountDownLatch complete = new CountDownLatch(1);
    private long count;
    private long bytes;
    private volatile long first;
    private volatile long end;
    private byte[] last = {};

    /**
     * Waits for so many changes.
     *
     * @param mark what the bytes of the last one contain and of no other one; empty: not looked at
     */
    public Receiver(ChildReport report, long expected, String mark) {
        this.report = report;
        this.expected = expected;
        this.mark = mark.getBytes(StandardCharsets.UTF_8);
    }

    /** The clock begins now; without this call with the first change. */
    public void begin() {
        if (first == 0) {
            first = ChildReport.now();
        }
    }

    /** A change in its final form. */
    public void take(byte[] from, int offset, int length) {
        begin();
        count++;
        bytes += length;
        if (count >= expected) {
            last = Arrays.copyOfRange(from, offset, offset + length);
            if (count == expected) {
                end = ChildReport.now();
                complete.countDown();
            }
        }
    }

    /** So many changes that are durable where they can be looked at later. */
    public void passed(int changes, long size) {
        begin();
        count += changes;
        bytes += size;
        if (count >= expected && end == 0) {
            end = ChildReport.now();
            complete.countDown();
        }
    }

    /** A change that is a string already. */
    public void take(String text) {
        if (count + 1 >= expected) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            take(utf8, 0, utf8.length);
        } else {
            begin();
            count++;
            bytes += text.length();
        }
    }

    /** Waits until all came; false: the time ran out before. */
    public boolean await(Duration limit) throws InterruptedException {
        boolean came = complete.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        if (came) {
            Thread.sleep(AFTER_MILLIS);
        }
        return came;
    }

    /**
     * Puts {@code count}, {@code first} and {@code end} (microseconds since 1970), {@code bytes}, {@code right} (1: the last
     * value is as expected) and {@code allocated}. Call it when all has come, before anything is shut down.
     */
    public void report() {
        report.put("count", count)
                .put("first", first)
                .put("end", end)
                .put("bytes", bytes)
                .put("right", contains(last, mark) ? 1 : 0)
                .put("allocated", report.allocatedBytes());
    }

    private static boolean contains(byte[] text, byte[] part) {
        for (int at = 0; at + part.length <= text.length; at++) {
            if (Arrays.equals(text, at, at + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }
}
