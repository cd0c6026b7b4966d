package io.tidegate.server.hold;

import io.tidegate.engine.store.StateStore;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Sink;
import io.tidegate.spi.Source;
import io.tidegate.spi.TidegateException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keeps each thread that comes to one point a number of times, or later, until the process is killed. Any thread. */
public final class Hold {

    public static final String PROPERTY = "tidegate.test.hold";

    private static final Logger LOG = System.getLogger(Hold.class.getName());
    private static final Pattern FORM = Pattern.compile("([a-z]+):([0-9]{1,9})/([0-9]{1,9})");

    private final HoldPoint point;
    private final long number;
    private final long total;
    private final AtomicLong passed = new AtomicLong();

    private Hold(HoldPoint point, long number, long total) {
        this.point = point;
        this.number = number;
        this.total = total;
    }

    /**
     * Reads {@code POINT:NUMBER/TOTAL}.
     *
     * @throws TidegateException it is none, or a run that counts to {@code TOTAL} would never be held by it
     */
    public static Hold parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw refused(text, "it is not of the form POINT:NUMBER/TOTAL");
        }
        Optional<HoldPoint> point = Arrays.stream(HoldPoint.values())
                .filter(known -> known.text().equals(parts.group(1)))
                .findFirst();
        long number = Long.parseLong(parts.group(2));
        long total = Long.parseLong(parts.group(3));
        if (point.isEmpty()) {
            throw refused(text, "there is no such point");
        }
        if (number < 1 || number >= total) {
            throw refused(text, "NUMBER is not from 1 to below TOTAL");
        }
        return new Hold(point.get(), number, total);
    }

    private static TidegateException refused(String text, String why) {
        return new TidegateException(
                ErrorCode.CONFIG_INVALID,
                "-D" + PROPERTY + "=" + text + ": " + why + ".",
                "It is for tests that kill this process: leave it out, or give POINT:NUMBER/TOTAL with one of the points "
                        + HoldPoint.all() + ".",
                null);
    }

    public Source source(Source source) {
        return new HeldSource(source, this);
    }

    public Sink sink(Sink sink) {
        return new HeldSink(sink, this);
    }

    public StateStore store(StateStore store) {
        return new HeldStore(store, this);
    }

    /** For the store only: files of a sink are written as ever. */
    public Disk disk(Disk disk) {
        return new HeldDisk(disk, this);
    }

    /** Returns unless the point is the one, and its time has come. */
    void pass(HoldPoint here, long count) {
        if (here == point && passed.addAndGet(count) >= number) {
            forGood();
        }
    }

    /** Says so, and never returns. An interrupt changes nothing. */
    private void forGood() {
        LOG.log(Level.INFO, "held at {0}, {1} of {2}, until it is killed", point.text(), number, total);
        while (true) {
            LockSupport.park(this);
            Thread.interrupted(); // else the next park would return at once
        }
    }
}
