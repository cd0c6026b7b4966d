package io.tidegate.server.log;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.LogManager;

/**
 * The JDK's log manager, but it does not take the handlers away when the process begins to shut down: that is when
 * pipelines drain, and what they say then must be seen. The JDK makes it, by its name.
 */
public final class LastingLogManager extends LogManager {

    private final AtomicBoolean initialized = new AtomicBoolean();

    /** The JDK calls it once before there is anything to take away, and once when the process shuts down. */
    @Override
    public void reset() {
        if (initialized.compareAndSet(false, true)) {
            super.reset();
        }
    }
}
