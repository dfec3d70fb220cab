package org.bitwitness.attestation.keys;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import org.bitwitness.attestation.AttestationException;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;

/**
 * A private key under a passphrase: PKCS#8 {@code EncryptedPrivateKeyInfo} with PBES2, PBKDF2-HMAC-SHA256 and
 * AES-256-CBC, which {@code openssl pkey} reads and {@code openssl pkcs8 -topk8 -v2 aes-256-cbc} writes.
 */
public final class EncryptedPem {
    /** Label of an encrypted PKCS#8 private key. */
    public static final String LABEL = "ENCRYPTED PRIVATE KEY";

    /** Of the derivation that makes a key of a passphrase, when we write. */
    public static final int ITERATIONS = 600_000;

    /** A file that asks for more would only waste time. */
    private static final int MAX_ITERATIONS = 5_000_000;

    private static final String ALGORITHM = "PBEWithHmacSHA256AndAES_256";
    private static final int SALT_BYTES = 16;

    private EncryptedPem() {}

    /** Whether a PEM text is an encrypted private key. */
    public static boolean isEncrypted(String pem) {
        return pem.startsWith("-----BEGIN " + LABEL + "-----");
    }

    /** Encrypts PKCS#8 DER. */
    public static String encrypt(byte[] pkcs8, char[] passphrase, SecureRandom random) {
        if (passphrase.length == 0) {
            throw new IllegalArgumentException("an empty passphrase protects nothing");
        }
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        try {
            Cipher cipher = Cipher.getInstance(ALGORITHM);
            cipher.init(Cipher.ENCRYPT_MODE, key(passphrase), new PBEParameterSpec(salt, ITERATIONS), random);
            AlgorithmIdentifier algorithm = new AlgorithmIdentifier(
                    PKCSObjectIdentifiers.id_PBES2,
                    ASN1Primitive.fromByteArray(cipher.getParameters().getEncoded()));
            // The JDK's class of this name reads such a key but cannot name its algorithm when it writes one.
            byte[] der = new org.bouncycastle.asn1.pkcs.EncryptedPrivateKeyInfo(algorithm, cipher.doFinal(pkcs8))
                    .getEncoded();
            return Pem.encode(LABEL, der);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this JDK lacks " + ALGORITHM, e);
        }
    }

    /** An encrypted key whose parameters are known to be ours and affordable. */
    public record Parsed(EncryptedPrivateKeyInfo info, AlgorithmParameters parameters) {}

    /**
     * Reads the envelope; derives nothing.
     *
     * @throws AttestationException malformed, if this is no such key or asks for endless work
     */
    public static Parsed parse(String pem) throws AttestationException {
        byte[] der = Pem.decode(LABEL, pem);
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
            AlgorithmParameters parameters = info.getAlgParameters();
            if (parameters == null || !ALGORITHM.equals(parameters.toString())) {
                throw AttestationException.malformed(
                        "expected a key under PBKDF2-HMAC-SHA256 and AES-256-CBC, found %s: openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 converts it"
                                .formatted(parameters == null ? info.getAlgName() : parameters));
            }
            int iterations = parameters.getParameterSpec(PBEParameterSpec.class).getIterationCount();
            if (iterations < 1 || iterations > MAX_ITERATIONS) {
                throw AttestationException.malformed("an encrypted key asks for at most %d iterations, this one for %d"
                        .formatted(MAX_ITERATIONS, iterations));
            }
            return new Parsed(info, parameters);
        } catch (GeneralSecurityException | IOException | RuntimeException e) {
            throw new AttestationException(
                    AttestationException.Kind.MALFORMED, "this is no encrypted PKCS#8 key: " + e, e);
        }
    }

    /**
     * Decrypts to PKCS#8 DER.
     *
     * @throws AttestationException environment, if the passphrase is another one; malformed, if this is no such key
     */
    public static byte[] decrypt(String pem, char[] passphrase) throws AttestationException {
        Parsed parsed = parse(pem);
        try {
            Cipher cipher = Cipher.getInstance(ALGORITHM);
            cipher.init(Cipher.DECRYPT_MODE, key(passphrase), parsed.parameters());
            return cipher.doFinal(parsed.info().getEncryptedData());
        } catch (GeneralSecurityException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "the passphrase does not open this key", e);
        }
    }

    private static SecretKey key(char[] passphrase) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(Arrays.copyOf(passphrase, passphrase.length));
        try {
            return SecretKeyFactory.getInstance(ALGORITHM).generateSecret(spec);
        } finally {
            spec.clearPassword();
        }
    }
}
