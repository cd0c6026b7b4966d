package io.tidegate.testkit.postgres;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A shell process that stands beside a server and outlives this JVM: when its standard input ends, because it was released
 * or because the JVM died in whatever way, it kills the server and removes the temporary folder. It also sends the signals,
 * as it runs as the right user for it.
 *
 * <p>Which processes belong to the server is told by their working directory, which PostgreSQL keeps at the data folder in
 * all its processes; a child whose postmaster was killed is found this way too.
 */
final class ServerGuard {
    private static final String SCRIPT = """
            data=$1
            remove=$2
            # The group's Ctrl-C and a pipe without a reader must not keep it from cleaning up.
            trap '' HUP INT TERM PIPE

            find_members() {
                members=
                for process in /proc/[0-9]*; do
                    if [ "$process/cwd" -ef "$data" ] && read -r name < "$process/comm"; then
                        case $name in
                            postgres | initdb | setsid | unshare | setpriv | jspawnhelper)
                                members="$members ${process#/proc/}"
                                ;;
                        esac
                    fi
                done 2> /dev/null
            }

            kill_all() {
                find_members
                while [ -n "$members" ]; do
                    kill -KILL $members 2> /dev/null
                    sleep 0.02
                    find_members
                done
            }

            while read -r signal target; do
                if [ "$target" = all ]; then
                    kill_all
                else
                    kill -"$signal" "$target" 2> /dev/null
                fi
                echo done
            done

            kill_all
            # A killed server leaves its System V segment behind; line 7 of its lock file is "key id".
            if [ -f "$data/postmaster.pid" ]; then
                sed -n 7p "$data/postmaster.pid" | {
                    read -r key id
                    while read -r some_key some_id permissions size creator last attached rest; do
                        if [ "$some_key $some_id $attached" = "$key $id 0" ]; then
                            ipcrm -m "$id"
                        fi
                    done < /proc/sysvipc/shm
                }
            fi
            [ -z "$remove" ] || rm -rf -- "$remove"
            """;

    private final Process process;
    private final Writer commands;
    private final BufferedReader answers;

    private ServerGuard(Process process) {
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Watches over {@code data}; removes the folder {@code remove} at the end, if that is not empty. */
    static ServerGuard over(Path data, List<Path> remove, RunAs runAs) {
        List<String> shell = List.of("sh", "-c", SCRIPT, "server-guard", data.toString());
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(runAs.watcherCommand(shell));
        command.add(remove.isEmpty() ? "" : remove.get(0).toString());
        try {
            return new ServerGuard(new ProcessBuilder(command)
                    .directory(new File("/"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the process that guards a PostgreSQL server", e);
        }
    }

    /** Sends a signal ("INT", "QUIT", "KILL", …) to one process; says nothing of its effect. */
    void signal(String signal, long pid) {
        ask(signal + " " + pid);
    }

    /** Kills every process of the server that is left, and returns when there is none. */
    void killAll() {
        ask("KILL all");
    }

    /**
     * Lets the guard do its last work: kill the server, remove the folder, end.
     *
     * @return whether it was done in time
     */
    boolean release(Duration limit) {
        try {
            process.getOutputStream().close();
        } catch (IOException alreadyGone) {
            // The guard has ended; there is nothing to tell it.
        }
        boolean interrupted = false;
        try {
            long end = System.nanoTime() + limit.toNanos();
            while (true) {
                try {
                    return process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void ask(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
            if (answers.readLine() == null) {
                throw new IllegalStateException("the process that guards the PostgreSQL server has ended");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the process that guards the PostgreSQL server does not answer", e);
        }
    }
}
