package io.tidegate.demo.process;

import io.tidegate.demo.compare.Delivery;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Keeps what lines say for the comparison, and passes them on. When their reader has gone, it says so once and keeps on
 * taking them, so that the engine can end. Belongs to one thread at a time.
 */
public final class LineSink implements LineReader.Lines {

    private final Delivery delivery;
    private final OutputStream onward;
    private final Runnable readerGone;
    private boolean passing = true;

    public LineSink(Delivery delivery, OutputStream onward, Runnable readerGone) {
        this.delivery = delivery;
        this.onward = onward;
        this.readerGone = readerGone;
    }

    @Override
    public void line(byte[] withEnd) {
        delivery.line(new String(withEnd, StandardCharsets.UTF_8));
        pass(() -> onward.write(withEnd));
    }

    @Override
    public void pause() {
        pass(onward::flush);
    }

    private interface Passing {
        void run() throws IOException;
    }

    private void pass(Passing action) {
        if (!passing) {
            return;
        }
        try {
            action.run();
        } catch (IOException gone) {
            passing = false;
            readerGone.run();
        }
    }
}
