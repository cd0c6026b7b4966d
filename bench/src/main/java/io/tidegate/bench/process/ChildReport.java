package io.tidegate.bench.process;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What a {@link ChildJvm} says to its parent. Make it first: it counts from then on. */
public final class ChildReport {

    private final Allocations allocations = new Allocations();
    private final Map<String, Double> figures = new LinkedHashMap<>();

    /** Only what goes wrong is worth a line in a run that is measured. */
    public ChildReport() {
        Logger.getLogger("").setLevel(Level.WARNING);
    }

    /** Microseconds since 1970, a clock that parent, child and server share. */
    public static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    /** Tells the parent at once that this point is reached. */
    public void reached(String point) {
        System.out.println(ChildJvm.REACHED + point + " " + now());
        System.out.flush();
    }

    public ChildReport put(String name, double value) {
        figures.put(name, value);
        return this;
    }

    public ChildReport put(String name, long value) {
        return put(name, (double) value);
    }

    /** A figure that was put. */
    public double figure(String name) {
        return figures.getOrDefault(name, Double.NaN);
    }

    /** Bytes that were allocated on the heap until now. */
    public long allocatedBytes() {
        return allocations.bytes();
    }

    /** To be called before a first {@link #allocatedBytes} that is no zero. */
    public void settle() throws InterruptedException {
        allocations.settle();
    }

    /** Prints the figures, and what the process has used until now: {@code user}, {@code system}, {@code resident}. */
    public void print() {
        Usage usage = Usage.self();
        put("user", usage.userSeconds());
        put("system", usage.systemSeconds());
        put("resident", usage.peakResidentBytes());
        ObjectNode node = new ObjectMapper().createObjectNode();
        figures.forEach(node::put);
        System.out.println(ChildJvm.FIGURES + node);
        System.out.flush();
    }
}
