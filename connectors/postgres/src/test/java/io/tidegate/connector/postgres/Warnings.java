package io.tidegate.connector.postgres;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Collects what the source warns of while it is open, instead of printing it. */
final class Warnings extends Handler implements AutoCloseable {

    final List<String> texts = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("io.tidegate.connector.postgres");

    Warnings() {
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            texts.add(new SimpleFormatter().formatMessage(record));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
