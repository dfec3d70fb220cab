package org.bitwitness.attestation.keys;

import java.io.IOException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Hashing;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;
import org.bouncycastle.crypto.signers.StandardDSAEncoding;
import org.bouncycastle.util.BigIntegers;

/** A private P-256 key. Signatures are deterministic (RFC 6979), so a run of the demo repeats to the byte. */
public final class SigningKey {
    // PKCS#8 with the public key inside (what openssl and we write), and without it (what other tools write).
    private static final byte[] LONG_PREFIX =
            HexFormat.of().parseHex("308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420");
    private static final byte[] LONG_MIDDLE = HexFormat.of().parseHex("a144034200");
    private static final byte[] SHORT_PREFIX =
            HexFormat.of().parseHex("3041020100301306072a8648ce3d020106082a8648ce3d0301070427302502010104" + "20");

    private final ECPrivateKeyParameters parameters;
    private final VerifyingKey verifyingKey;

    private SigningKey(BigInteger d) {
        this.parameters = new ECPrivateKeyParameters(d, P256.DOMAIN);
        this.verifyingKey = new VerifyingKey(P256.basePoint().multiply(d));
    }

    /** A new key: a scalar in [1, n), uniform by rejection. */
    public static SigningKey generate(SecureRandom random) {
        while (true) {
            byte[] bytes = new byte[P256.SCALAR_BYTES];
            random.nextBytes(bytes);
            BigInteger d = new BigInteger(1, bytes);
            if (d.signum() > 0 && d.compareTo(P256.order()) < 0) {
                return new SigningKey(d);
            }
        }
    }

    /** The key with this scalar, big-endian, 32 bytes. */
    public static SigningKey ofScalar(byte[] scalar) throws AttestationException {
        BigInteger d = new BigInteger(1, scalar);
        if (scalar.length != P256.SCALAR_BYTES || d.signum() == 0 || d.compareTo(P256.order()) >= 0) {
            throw AttestationException.malformed("private key: expected a scalar of 32 bytes in [1, n)");
        }
        return new SigningKey(d);
    }

    /**
     * Reads an unencrypted PKCS#8 PEM.
     *
     * @throws AttestationException refused: other curve or algorithm, other spelling, public part that does not match
     */
    public static SigningKey ofPem(String text) throws AttestationException {
        byte[] der = Pem.decode(Pem.PRIVATE_KEY, text);
        boolean withPublicKey = der.length != SHORT_PREFIX.length + P256.SCALAR_BYTES;
        byte[] prefix = withPublicKey ? LONG_PREFIX : SHORT_PREFIX;
        if (!Arrays.equals(prefix, Arrays.copyOf(der, prefix.length))) {
            throw AttestationException.malformed("expected a P-256 private key, found %s".formatted(describe(der)));
        }
        SigningKey key = ofScalar(Arrays.copyOfRange(der, prefix.length, prefix.length + P256.SCALAR_BYTES));
        if (withPublicKey && !Arrays.equals(der, key.pkcs8())) {
            throw AttestationException.malformed(
                    "private key: the public key inside the file does not belong to the private key");
        }
        return key;
    }

    /** The PKCS#8 PEM text that {@link #ofPem} reads. Secret. */
    public String pem() {
        return Pem.encode(Pem.PRIVATE_KEY, pkcs8());
    }

    /** The same under a passphrase. */
    public String encryptedPem(char[] passphrase, SecureRandom random) {
        return EncryptedPem.encrypt(pkcs8(), passphrase, random);
    }

    /** The public half. */
    public VerifyingKey verifyingKey() {
        return verifyingKey;
    }

    /** ECDSA over SHA-256 of {@code message}, nonce by RFC 6979, as DER. */
    public byte[] sign(byte[] message) {
        ECDSASigner signer = new ECDSASigner(new HMacDSAKCalculator(new SHA256Digest()));
        signer.init(true, parameters);
        BigInteger[] rs = signer.generateSignature(Hashing.sha256(message).bytes());
        try {
            return StandardDSAEncoding.INSTANCE.encode(P256.order(), rs[0], rs[1]);
        } catch (IOException e) {
            throw new IllegalStateException("a fresh signature must encode", e);
        }
    }

    /** The secret scalar; only {@code vrf} computes with it. */
    public BigInteger scalar() {
        return parameters.getD();
    }

    private byte[] pkcs8() {
        byte[] point = verifyingKey.point().getEncoded(false);
        byte[] der =
                Arrays.copyOf(LONG_PREFIX, LONG_PREFIX.length + P256.SCALAR_BYTES + LONG_MIDDLE.length + point.length);
        int at = LONG_PREFIX.length;
        System.arraycopy(BigIntegers.asUnsignedByteArray(P256.SCALAR_BYTES, scalar()), 0, der, at, P256.SCALAR_BYTES);
        at += P256.SCALAR_BYTES;
        System.arraycopy(LONG_MIDDLE, 0, der, at, LONG_MIDDLE.length);
        System.arraycopy(point, 0, der, at + LONG_MIDDLE.length, point.length);
        return der;
    }

    private static String describe(byte[] der) {
        try {
            PrivateKeyInfo info = PrivateKeyInfo.getInstance(der);
            ASN1ObjectIdentifier algorithm = info.getPrivateKeyAlgorithm().getAlgorithm();
            if (algorithm.equals(X9ObjectIdentifiers.id_ecPublicKey)) {
                return "an EC key with curve "
                        + KeyNames.curve(info.getPrivateKeyAlgorithm().getParameters());
            }
            return "a key with algorithm " + KeyNames.algorithm(algorithm);
        } catch (RuntimeException e) {
            return der.length + " bytes that are no PKCS#8 key";
        }
    }

    @Override
    public String toString() {
        return "private half of " + verifyingKey;
    }
}
