package io.tidegate.testkit.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresBinariesIT {
    private final String folderBefore = System.getProperty(PostgresBinaries.FOLDER_PROPERTY);

    @AfterEach
    void restoreTheFolder() {
        if (folderBefore == null) {
            System.clearProperty(PostgresBinaries.FOLDER_PROPERTY);
        } else {
            System.setProperty(PostgresBinaries.FOLDER_PROPERTY, folderBefore);
        }
    }

    @Test
    void areUnpackedOnceWhenSeveralWantThemAtTheSameTime(@TempDir Path cache) throws Exception {
        int askers = 3;
        CyclicBarrier together = new CyclicBarrier(askers);
        ExecutorService threads = Executors.newFixedThreadPool(askers);
        try {
            List<Future<Path>> answers = new ArrayList<>();
            for (int i = 0; i < askers; i++) {
                answers.add(threads.submit(() -> {
                    together.await();
                    return PostgresBinaries.unpacked(17, cache);
                }));
            }
            Path first = answers.get(0).get();
            for (Future<Path> answer : answers) {
                assertThat(answer.get()).isEqualTo(first);
            }
            assertThat(entries(cache)).containsExactly(first);
            assertThat(first.resolve("bin/postgres")).isExecutable();

            Object before = Files.getAttribute(first.resolve("bin/postgres"), "unix:ino");
            assertThat(PostgresBinaries.unpacked(17, cache)).isEqualTo(first);
            assertThat(Files.getAttribute(first.resolve("bin/postgres"), "unix:ino"))
                    .isEqualTo(before);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void areAskedForByNameWhenTheNamedFolderHasNone(@TempDir Path empty) {
        System.setProperty(PostgresBinaries.FOLDER_PROPERTY, empty.toString());

        assertThatThrownBy(() -> PostgresBinaries.unpacked(17, empty))
                .hasMessageContaining("postgres-17.jar")
                .hasMessageContaining(empty.toString())
                .hasMessageContaining(PostgresBinaries.FOLDER_PROPERTY);
    }

    @Test
    void sayHowToGetThemWhenThereAreNone(@TempDir Path cache) {
        System.clearProperty(PostgresBinaries.FOLDER_PROPERTY);

        assertThatThrownBy(() -> PostgresBinaries.unpacked(9, cache))
                .hasMessageContaining("PostgreSQL 9")
                .hasMessageContaining("testkit/target/pg-binaries")
                .hasMessageContaining("class path");
    }

    @Test
    void areRefusedWhenTheyAreOfAnotherVersion(@TempDir Path folder) throws IOException {
        Path real = PostgresBinaries.jar(14).orElseThrow();
        Files.createSymbolicLink(folder.resolve("postgres-17.jar"), real);
        System.setProperty(PostgresBinaries.FOLDER_PROPERTY, folder.toString());

        assertThatThrownBy(() -> PostgresBinaries.unpacked(17, folder))
                .hasMessageContaining("wanted PostgreSQL 17")
                .hasMessageContaining("(PostgreSQL) 14.");
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.toList();
        }
    }
}
