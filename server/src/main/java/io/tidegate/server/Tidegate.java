package io.tidegate.server;

import io.tidegate.server.cli.CommandLines;
import io.tidegate.server.cli.Terminal;
import io.tidegate.server.cli.Wiring;
import io.tidegate.server.log.Logging;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** The program. Data goes to standard output, everything else to standard error, both in UTF-8 wherever it runs. */
public final class Tidegate {

    private Tidegate() {}

    public static void main(String[] args) {
        Logging.prepare();
        // A client that neither sends nor reads must not keep one of the few threads of the HTTP server.
        System.setProperty("sun.net.httpserver.maxReqTime", "10");
        System.setProperty("sun.net.httpserver.maxRspTime", "30");
        PrintWriter out = writer(FileDescriptor.out);
        PrintWriter err = writer(FileDescriptor.err);
        int status = CommandLines.create(Wiring.ofThisProcess(), Terminal.ofThisProcess(), out, err)
                .execute(args);
        out.flush();
        err.flush();
        System.exit(status);
    }

    private static PrintWriter writer(FileDescriptor descriptor) {
        return new PrintWriter(new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8), true);
    }
}
