package io.tidegate.server.cli;

import io.tidegate.spi.TidegateException;
import java.io.PrintWriter;

/** Prints what went wrong for the person at the command line: code, cause and cure. */
final class Errors {

    private Errors() {}

    static void print(TidegateException error, PrintWriter err) {
        err.println(error.code().code() + ": " + error.getMessage());
        if (!error.advice().isEmpty()) {
            err.println(error.advice());
        }
        err.flush();
    }
}
