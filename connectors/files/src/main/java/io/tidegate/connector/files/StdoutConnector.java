package io.tidegate.connector.files;

import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkConnector;
import java.util.List;

/** The sink {@code stdout}: changes on the standard output, as lines of the pipeline's format or readable by people. */
public final class StdoutConnector implements SinkConnector {

    static final Setting<String> STYLE = Setting.choice(
            "style",
            "auto",
            List.of("auto", "json", "readable"),
            "json: lines in the pipeline's format; readable: for people; auto: readable on a terminal, else json.");

    static final Setting<String> COLOR = Setting.choice(
            "color",
            "auto",
            List.of("auto", "on", "off"),
            "Colours of the readable style; auto: on a terminal, unless NO_COLOR is set.");

    private final StandardOutput output;

    /** Found by {@link java.util.ServiceLoader}. */
    public StdoutConnector() {
        this(StandardOutput.ofThisProcess());
    }

    StdoutConnector(StandardOutput output) {
        this.output = output;
    }

    @Override
    public String name() {
        return "stdout";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(STYLE, COLOR);
    }

    @Override
    public Sink create(Settings settings) {
        String style = settings.get(STYLE);
        String color = settings.get(COLOR);
        boolean readable = style.equals("readable") || (style.equals("auto") && output.terminal());
        boolean colored = color.equals("on") || (color.equals("auto") && output.terminal() && output.colorWelcome());
        return new StdoutSink(output, readable, colored);
    }
}
