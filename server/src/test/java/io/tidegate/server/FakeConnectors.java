package io.tidegate.server;

import io.tidegate.server.config.Connectors;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Discovery;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Secret;
import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkConnector;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceConnector;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A source "ocean" with a setting of every type, and a sink "bucket"; what they answer is set by the test. */
public final class FakeConnectors {

    public static final Setting<String> HOST =
            Setting.text("host", null, "The host.").mandatory();
    public static final Setting<Long> PORT = Setting.integer("port", 5432, 1, 65_535, "The port.");
    public static final Setting<Secret> PASSWORD = Setting.secret("password", "The password.");
    public static final Setting<String> MODE = Setting.choice("mode", "calm", List.of("calm", "rough"), "The weather.");
    public static final Setting<Boolean> TLS = Setting.bool("tls.enabled", true, "Whether it is encrypted.");
    public static final Setting<Duration> WAIT =
            Setting.duration("wait", "10s", Duration.ofMillis(100), Duration.ofMinutes(5), "The wait.");
    public static final Setting<Long> ROW = Setting.size("max_row_bytes", "80MiB", 1024, 1L << 30, "The largest row.");
    public static final Setting<List<String>> TABLES = Setting.list("tables", "The tables.");
    public static final Setting<Map<String, String>> OPTIONS = Setting.map("options", "The options.");

    public final List<Finding> sourceFindings = new ArrayList<>();
    public final List<Finding> sinkFindings = new ArrayList<>();
    public final List<String> removals = new ArrayList<>();
    public @Nullable Settings settings;

    /** Why the one table that is discovered cannot be captured. */
    public String obstacle = "";

    public Connectors connectors() {
        return new Connectors(
                new TreeMap<>(Map.of("ocean", new Ocean())), new TreeMap<>(Map.of("bucket", new Bucket())));
    }

    /** A position of a source that counts. */
    public record Mark(long at) implements Position {}

    private final class Ocean implements SourceConnector {
        @Override
        public String name() {
            return "ocean";
        }

        @Override
        public List<Setting<?>> settings() {
            return List.of(HOST, PORT, PASSWORD, MODE, TLS, WAIT, ROW, TABLES, OPTIONS);
        }

        @Override
        public Source create(Settings given) {
            settings = given;
            if (given.find(PASSWORD).map(Secret::reveal).orElse("").contains("forbidden")) {
                String password = given.get(PASSWORD).reveal();
                given.invalid(PASSWORD, "cannot be " + password, "Not " + password);
            }
            if (given.get(HOST).equals("nowhere")) {
                given.invalid(HOST, "is not on a map", "Write one that is");
            }
            return new OceanSource();
        }

        @Override
        public List<String> urlPrefixes() {
            return List.of("ocean://");
        }

        @Override
        public Discovery discover(Discovery.Request request) {
            return new Discovery(
                    "an ocean",
                    List.of(new Discovery.Entry("host", "h", true)),
                    TABLES.key(),
                    List.of(new Discovery.Table("a.b", true, 1, 1, "key id", obstacle, "")),
                    List.of(),
                    sourceFindings);
        }
    }

    private final class OceanSource implements Source {
        @Override
        public String system() {
            return "fake";
        }

        @Override
        public Positions positions() {
            return new Positions() {
                @Override
                public String print(Position position) {
                    return Long.toString(((Mark) position).at());
                }

                @Override
                public Position parse(String text) {
                    return new Mark(Long.parseLong(text));
                }

                @Override
                public int compare(Position one, Position other) {
                    return Long.compare(((Mark) one).at(), ((Mark) other).at());
                }
            };
        }

        @Override
        public List<Finding> check(Checkpoint durable) {
            return sourceFindings;
        }

        @Override
        public SourceSession open(SourceContext context) {
            throw new UnsupportedOperationException("no session is opened in these tests");
        }

        @Override
        public Removal removal(Checkpoint durable) {
            return new Removal() {
                @Override
                public List<String> describe() {
                    return List.copyOf(removals);
                }

                @Override
                public void execute() {
                    removals.clear();
                }

                @Override
                public void close() {}
            };
        }
    }

    private final class Bucket implements SinkConnector {
        @Override
        public String name() {
            return "bucket";
        }

        @Override
        public List<Setting<?>> settings() {
            return List.of(Setting.text("label", "plain", "The label."));
        }

        @Override
        public Sink create(Settings given) {
            return new Sink() {
                @Override
                public List<Finding> check() {
                    return sinkFindings;
                }

                @Override
                public SinkSession open(SinkContext context) {
                    throw new UnsupportedOperationException("no session is opened in these tests");
                }
            };
        }
    }
}
