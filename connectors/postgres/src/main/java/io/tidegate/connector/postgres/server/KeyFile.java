package io.tidegate.connector.postgres.server;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Looks into the file of a client's private key: the driver has to be told which algorithm a key in PEM is of. */
final class KeyFile {

    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    private KeyFile() {}

    /** The algorithm of a key that is PKCS #8 in PEM (RFC 7468, section 10); empty for any other file. */
    static Optional<String> algorithm(Path file) {
        String text;
        try {
            text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new TidegateException(ErrorCode.TLS, "cannot read the file " + file, e);
        }
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            return Optional.empty();
        }
        byte[] key = Base64.getMimeDecoder().decode(text.substring(begin + BEGIN.length(), end));
        return ALGORITHMS.stream().filter(name -> isOf(name, key)).findFirst();
    }

    private static boolean isOf(String algorithm, byte[] key) {
        try {
            KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(key));
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
