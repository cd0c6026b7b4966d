package io.tidegate.testkit.tls;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A certificate authority of one test: issues certificates for servers and clients (X.509 v3 after RFC 5280, P-256 keys,
 * ECDSA with SHA-256, valid from yesterday for ten years).
 *
 * <p>Two authorities do not trust each other, so "the server's certificate is signed by somebody else" is a second one.
 */
public final class TestAuthority {
    private static final byte[] ECDSA_WITH_SHA256 = Der.sequence(Der.oid(1, 2, 840, 10045, 4, 3, 2));
    private static final byte[] BASIC_CONSTRAINTS = Der.oid(2, 5, 29, 19);
    private static final byte[] KEY_USAGE = Der.oid(2, 5, 29, 15);
    private static final byte[] SUBJECT_ALTERNATIVE_NAME = Der.oid(2, 5, 29, 17);
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    private final String name;
    private final KeyPair keys;
    private final String certificatePem;

    /** A certificate and its private key (PKCS #8), both as PEM text. */
    public record Identity(String certificatePem, String keyPem) {}

    private TestAuthority(String name) throws GeneralSecurityException {
        this.name = name;
        this.keys = newKeys();
        byte[] authority = extension(BASIC_CONSTRAINTS, true, Der.sequence(Der.bool(true)));
        // keyCertSign and cRLSign are bits 5 and 6.
        byte[] usage = extension(KEY_USAGE, true, Der.bits(new byte[] {0b0000_0110}, 1));
        this.certificatePem = pem("CERTIFICATE", certificate(name, keys.getPublic(), List.of(authority, usage)));
    }

    public static TestAuthority create(String name) {
        try {
            return new TestAuthority(name);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot create a certificate authority", e);
        }
    }

    /** The authority's own certificate: what a client has to trust. */
    public String certificatePem() {
        return certificatePem;
    }

    /**
     * Issues a certificate.
     *
     * @param commonName the subject; for a client certificate usually the user's name
     * @param hosts DNS names and IPv4 addresses the certificate is good for; none for a client
     */
    public Identity issue(String commonName, String... hosts) {
        try {
            KeyPair subject = newKeys();
            List<byte[]> extensions = new ArrayList<>();
            // digitalSignature is bit 0.
            extensions.add(extension(KEY_USAGE, true, Der.bits(new byte[] {(byte) 0b1000_0000}, 7)));
            if (hosts.length > 0) {
                extensions.add(extension(SUBJECT_ALTERNATIVE_NAME, false, alternativeNames(List.of(hosts))));
            }
            return new Identity(
                    pem("CERTIFICATE", certificate(commonName, subject.getPublic(), extensions)), keyPem(subject));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot issue a certificate for " + commonName, e);
        }
    }

    private byte[] certificate(String subject, PublicKey key, List<byte[]> extensions) throws GeneralSecurityException {
        Instant now = Instant.now();
        byte[] content = Der.sequence(
                Der.explicit(0, Der.integer(BigInteger.TWO)),
                Der.integer(new BigInteger(120, new SecureRandom())),
                ECDSA_WITH_SHA256,
                distinguishedName(name),
                Der.sequence(Der.time(now.minus(Duration.ofDays(1))), Der.time(now.plus(Duration.ofDays(3650)))),
                distinguishedName(subject),
                key.getEncoded(),
                Der.explicit(3, Der.sequence(extensions.toArray(new byte[0][]))));
        return Der.sequence(content, ECDSA_WITH_SHA256, Der.bits(sign(keys.getPrivate(), content), 0));
    }

    private static byte[] sign(PrivateKey key, byte[] content) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key);
        signature.update(content);
        return signature.sign();
    }

    private static byte[] alternativeNames(List<String> hosts) {
        byte[][] names = new byte[hosts.size()][];
        for (int i = 0; i < names.length; i++) {
            String host = hosts.get(i);
            names[i] = host.matches("[0-9.]+")
                    ? Der.implicit(IP_ADDRESS, ipv4(host))
                    : Der.implicit(DNS_NAME, host.getBytes(StandardCharsets.US_ASCII));
        }
        return Der.sequence(names);
    }

    private static byte[] ipv4(String address) {
        String[] parts = address.split("\\.", -1);
        byte[] octets = new byte[4];
        if (parts.length != octets.length) {
            throw new IllegalArgumentException("not an IPv4 address: " + address);
        }
        for (int i = 0; i < octets.length; i++) {
            octets[i] = (byte) Integer.parseInt(parts[i]);
        }
        return octets;
    }

    private static byte[] distinguishedName(String commonName) {
        return Der.sequence(Der.set(Der.sequence(Der.oid(2, 5, 4, 3), Der.text(commonName))));
    }

    private static byte[] extension(byte[] oid, boolean critical, byte[] value) {
        return critical ? Der.sequence(oid, Der.bool(true), Der.octets(value)) : Der.sequence(oid, Der.octets(value));
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static String keyPem(KeyPair keys) {
        return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    private static String pem(String kind, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
    }
}
