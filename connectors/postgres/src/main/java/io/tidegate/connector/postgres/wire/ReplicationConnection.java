package io.tidegate.connector.postgres.wire;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;

/**
 * A connection to a walsender. Belongs to one thread, except {@link #abort}. The driver connects, authenticates and
 * encrypts; afterwards it is only kept, so that it does not close the socket, and everything goes over the socket itself.
 */
public final class ReplicationConnection implements AutoCloseable {

    private static final int ANSWER_MILLIS = 60_000;

    /** What IDENTIFY_SYSTEM says. */
    public record SystemIdentity(String systemId, int timeline, Lsn flushed) {}

    /**
     * Where a timeline ended.
     *
     * @param end where the log went over from this timeline to the next one
     */
    public record TimelineEnd(int timeline, Lsn end) {}

    /**
     * A slot that goes away with its connection.
     *
     * @param snapshot the exported snapshot's name; it is gone with the next command on this connection
     */
    public record TemporarySlot(String name, Lsn consistentPoint, String snapshot) {}

    private final Connection driver;
    private final SocketRecorder sockets;
    private final MessageSocket socket;
    private final String where;
    private final int backendPid;

    private ReplicationConnection(Connection driver, SocketRecorder sockets, String where)
            throws SQLException, IOException {
        this.driver = driver;
        this.sockets = sockets;
        this.where = where;
        socket = new MessageSocket(sockets.socket(), sockets.plain());
        backendPid = driver.unwrap(PGConnection.class).getBackendPID();
    }

    /**
     * Connects, and pins the session's settings (rule 15).
     *
     * @param url a JDBC URL without secrets; it is named in errors
     * @param properties the driver's properties: user, password, TLS, time-outs
     */
    public static ReplicationConnection open(String url, Properties properties) {
        SocketRecorder sockets = new SocketRecorder();
        Properties all = new Properties();
        properties.stringPropertyNames().forEach(name -> all.setProperty(name, properties.getProperty(name)));
        PGProperty.REPLICATION.set(all, "database");
        PGProperty.PREFER_QUERY_MODE.set(all, "simple");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(all, "10");
        PGProperty.SOCKET_FACTORY.set(all, RecordingSocketFactory.class.getName());
        PGProperty.SOCKET_FACTORY_ARG.set(all, sockets.word());
        PGProperty.SSL_FACTORY.set(all, RecordingTlsFactory.class.getName());
        // the driver would wrap the stream in a way that the socket does not show
        PGProperty.GSS_ENC_MODE.set(all, "disable");
        String what = "connecting to " + url + " for replication";
        try {
            Connection driver = new Driver().connect(url, all);
            if (driver == null) {
                throw new TidegateException(ErrorCode.CONFIG_INVALID, "not a URL of PostgreSQL: " + url);
            }
            ReplicationConnection connection = new ReplicationConnection(driver, sockets, url);
            connection.pinSettings();
            return connection;
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, what);
        } catch (IOException e) {
            throw PgErrors.of(e, what);
        } finally {
            sockets.forget();
        }
    }

    private void pinSettings() {
        try {
            for (String statement : SessionSettings.statements()) {
                ask(statement, ANSWER_MILLIS, PgErrors.Doing.ASKING);
            }
        } catch (TidegateException e) {
            close();
            throw e;
        }
    }

    /** The walsender's process. */
    public int backendPid() {
        return backendPid;
    }

    public SystemIdentity identifySystem() {
        List<@Nullable String> row = one("IDENTIFY_SYSTEM", ANSWER_MILLIS);
        return new SystemIdentity(text(row, 0), Integer.parseInt(text(row, 1)), Lsn.parse(text(row, 2)));
    }

    /** The timelines before this one, oldest first; none for the first. */
    public List<TimelineEnd> timelineHistory(int timeline) {
        List<TimelineEnd> history = new ArrayList<>();
        if (timeline > 1) {
            String content = text(one("TIMELINE_HISTORY " + timeline, ANSWER_MILLIS), 1);
            for (String line : content.split("\n", -1)) {
                String[] fields = line.strip().split("\\s+", 3);
                if (!line.isBlank() && !line.startsWith("#")) {
                    history.add(new TimelineEnd(Integer.parseInt(fields[0]), Lsn.parse(fields[1])));
                }
            }
        }
        return history;
    }

    /**
     * Where the server writes its log next: beyond what {@link #identifySystem} calls flushed, while nobody waits for what a
     * reading query wrote. Not on a standby.
     */
    public Lsn insertEnd() {
        return Lsn.parse(text(one("SELECT pg_catalog.pg_current_wal_insert_lsn()", ANSWER_MILLIS), 0));
    }

    /** A setting of this session, as SHOW prints it. */
    public String show(String setting) {
        return text(one("SHOW " + setting, ANSWER_MILLIS), 0);
    }

    /** Makes a slot that lives as long as this connection. Waits for transactions that are open now, without limit. */
    public TemporarySlot createTemporarySlot(String name) {
        String command = "CREATE_REPLICATION_SLOT " + identifier(name) + " TEMPORARY LOGICAL pgoutput EXPORT_SNAPSHOT";
        List<@Nullable String> row = one(command, MessageSocket.FOREVER);
        return new TemporarySlot(text(row, 0), Lsn.parse(text(row, 1)), text(row, 2));
    }

    /**
     * Starts to read the log; the connection takes no other command afterwards.
     *
     * @param from transactions whose commit LSN lies below are left out
     * @param messages whether logical messages are sent
     * @param messageBytesMax longer messages are not kept (rule 17)
     */
    public CopyStream startReplication(
            String slot, Lsn from, List<String> publications, boolean messages, long messageBytesMax) {
        String names = publications.stream()
                .map(ReplicationConnection::identifier)
                .collect(Collectors.joining(","))
                .replace("'", "''");
        String command = "START_REPLICATION SLOT " + identifier(slot) + " LOGICAL " + from
                + " (proto_version '1', publication_names '" + names + "'" + (messages ? ", messages 'true')" : ")");
        try {
            send(command);
            while (true) {
                await(ANSWER_MILLIS, command);
                byte type = socket.type();
                ServerReport report = type == 'E' || type == 'N' ? report() : null;
                socket.done();
                if (type == 'W') {
                    return new CopyStream(socket, messageBytesMax);
                }
                if (report != null && type == 'E') {
                    throw PgErrors.of(report, PgErrors.Doing.STREAMING, "starting to read slot " + slot);
                }
                if (report != null) {
                    CopyStream.notice(report);
                }
            }
        } catch (IOException e) {
            throw PgErrors.of(e, "starting to read slot " + slot);
        }
    }

    private List<@Nullable String> one(String command, int waitMillis) {
        List<List<@Nullable String>> rows = ask(command, waitMillis, PgErrors.Doing.ASKING);
        if (rows.size() != 1) {
            throw new TidegateException(
                    ErrorCode.SOURCE_UNAVAILABLE, command + " on " + where + " gave " + rows.size() + " rows, not one");
        }
        return rows.get(0);
    }

    private List<List<@Nullable String>> ask(String command, int waitMillis, PgErrors.Doing doing) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        ServerReport error = null;
        try {
            send(command);
            while (true) {
                await(waitMillis, command);
                byte type = socket.type();
                if (type == 'D') {
                    rows.add(dataRow(ByteBuffer.wrap(socket.body(), socket.bodyOffset(), socket.bodyLength())));
                } else if (type == 'E' && error == null) {
                    error = report();
                }
                socket.done();
                boolean fatal = error != null && !error.severity().equals("ERROR");
                if (type == 'Z' || fatal) {
                    break;
                }
            }
        } catch (IOException e) {
            throw PgErrors.of(e, command + " on " + where);
        }
        if (error != null) {
            throw PgErrors.of(error, doing, command + " on " + where);
        }
        return rows;
    }

    private void send(String command) throws IOException {
        byte[] text = command.getBytes(StandardCharsets.UTF_8);
        ByteBuffer message = ByteBuffer.allocate(text.length + 6);
        message.put((byte) 'Q').putInt(text.length + 5).put(text).put((byte) 0);
        socket.send(message.array(), message.position());
    }

    private void await(int waitMillis, String command) throws IOException {
        if (!socket.header(waitMillis) || !socket.bodyComplete(waitMillis)) {
            throw new IOException("no answer to " + command + " within " + waitMillis / 1000 + " s");
        }
    }

    private ServerReport report() {
        return Reports.parse(socket.body(), socket.bodyOffset(), socket.bodyLength());
    }

    private static List<@Nullable String> dataRow(ByteBuffer body) {
        int columns = body.getShort();
        List<@Nullable String> row = new ArrayList<>(columns);
        for (int i = 0; i < columns; i++) {
            int length = body.getInt();
            if (length < 0) {
                row.add(null);
            } else {
                byte[] text = new byte[length];
                body.get(text);
                row.add(new String(text, StandardCharsets.UTF_8));
            }
        }
        return row;
    }

    private String text(List<@Nullable String> row, int column) {
        String text = row.size() > column ? row.get(column) : null;
        if (text == null) {
            throw new TidegateException(
                    ErrorCode.SOURCE_UNAVAILABLE, where + " left column " + column + " of its answer empty");
        }
        return text;
    }

    private static String identifier(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    /** Closes the socket under whatever is blocked on it. Any thread. */
    public void abort() {
        try {
            sockets.closePlain();
        } catch (IOException e) {
            throw PgErrors.of(e, "closing the connection to " + where);
        }
    }

    /** The driver is told last, and only lets go: a farewell over TLS would fail, or wait for a server that does not read. */
    @Override
    public void close() {
        abort();
        try {
            driver.abort(Runnable::run);
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, "closing the connection to " + where);
        }
    }
}
