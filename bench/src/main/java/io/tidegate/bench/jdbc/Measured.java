package io.tidegate.bench.jdbc;

import io.tidegate.bench.process.ChildReport;
import io.tidegate.bench.process.Usage;

/** What a writer used from here on, without what it took to make the changes. */
final class Measured {

    private final ChildReport report;
    private final double cpu;
    private final long allocated;

    /** Begins when everything is ready. */
    Measured(ChildReport report) throws InterruptedException {
        this.report = report;
        report.settle(); // what was made is not to be collected while it is measured
        this.allocated = report.allocatedBytes();
        this.cpu = Usage.self().cpuSeconds();
    }

    /** Puts {@code first} and {@code end} (microseconds since 1970), {@code cpu} (seconds) and {@code allocated}. */
    void end(long first, long end) {
        report.put("first", first)
                .put("end", end)
                .put("allocated", report.allocatedBytes() - allocated)
                .put("cpu", Usage.self().cpuSeconds() - cpu);
    }
}
