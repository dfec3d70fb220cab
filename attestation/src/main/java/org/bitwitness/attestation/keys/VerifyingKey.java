package org.bitwitness.attestation.keys;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.StandardDSAEncoding;
import org.bouncycastle.math.ec.ECPoint;

/** A public P-256 key. Its identity is the SHA-256 of its PEM text, which bundles carry as the key's hint. */
public final class VerifyingKey {
    private static final byte[] SPKI_PREFIX =
            HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d030107034200");

    private final ECPublicKeyParameters parameters;

    VerifyingKey(ECPoint point) {
        this.parameters = new ECPublicKeyParameters(point.normalize(), P256.DOMAIN);
    }

    /**
     * Reads a PEM public key in exactly the spelling of {@link Pem}.
     *
     * @throws AttestationException refused: private key, other curve, other spelling, point off the curve
     */
    public static VerifyingKey ofPem(String text) throws AttestationException {
        return ofSpki(Pem.decode(Pem.PUBLIC_KEY, text));
    }

    /**
     * Reads SubjectPublicKeyInfo DER with an uncompressed point: 91 bytes, one spelling.
     *
     * @throws AttestationException refused
     */
    public static VerifyingKey ofSpki(byte[] der) throws AttestationException {
        int bytes = SPKI_PREFIX.length + P256.UNCOMPRESSED_BYTES;
        if (der.length != bytes || !Arrays.equals(der, 0, SPKI_PREFIX.length, SPKI_PREFIX, 0, SPKI_PREFIX.length)) {
            throw AttestationException.malformed("expected an uncompressed P-256 public key (%d bytes of DER), found %s"
                    .formatted(bytes, describeSpki(der)));
        }
        byte[] point = Arrays.copyOfRange(der, SPKI_PREFIX.length, der.length);
        return new VerifyingKey(P256.decodeUncompressed(point)
                .orElseThrow(() -> AttestationException.malformed("public key: the point is not on the curve P-256")));
    }

    /** SubjectPublicKeyInfo DER, 91 bytes. */
    public byte[] spki() {
        byte[] point = parameters.getQ().getEncoded(false);
        byte[] der = Arrays.copyOf(SPKI_PREFIX, SPKI_PREFIX.length + point.length);
        System.arraycopy(point, 0, der, SPKI_PREFIX.length, point.length);
        return der;
    }

    /** The PEM text that {@link #ofPem} reads. */
    public String pem() {
        return Pem.encode(Pem.PUBLIC_KEY, spki());
    }

    /** SHA-256 of the PEM text: the key's name in bundles and on pages. */
    public Sha256 id() {
        return Hashing.sha256(pem().getBytes(StandardCharsets.US_ASCII));
    }

    /** The compressed point, 33 bytes, as the VRF hashes it. */
    public byte[] compressed() {
        return parameters.getQ().getEncoded(true);
    }

    /** The point itself; only {@code vrf} computes with it. */
    public ECPoint point() {
        return parameters.getQ();
    }

    /**
     * Says whether {@code signature} is this key's ECDSA signature over SHA-256 of {@code message}. The signature
     * must be strict DER with r and s in [1, n). A high s is accepted, as openssl and sigstore do.
     */
    public boolean verify(byte[] message, byte[] signature) {
        BigInteger[] rs;
        try {
            // Encodes again and compares, so padding, long lengths and trailing bytes are refused.
            rs = StandardDSAEncoding.INSTANCE.decode(P256.order(), signature);
        } catch (java.io.IOException | RuntimeException e) {
            return false;
        }
        ECDSASigner verifier = new ECDSASigner();
        verifier.init(false, parameters);
        return verifier.verifySignature(Hashing.sha256(message).bytes(), rs[0], rs[1]);
    }

    private static String describeSpki(byte[] der) {
        try {
            SubjectPublicKeyInfo info = SubjectPublicKeyInfo.getInstance(der);
            ASN1ObjectIdentifier algorithm = info.getAlgorithm().getAlgorithm();
            if (algorithm.equals(X9ObjectIdentifiers.id_ecPublicKey)) {
                return "an EC key of %d bytes with curve %s"
                        .formatted(
                                der.length, KeyNames.curve(info.getAlgorithm().getParameters()));
            }
            return "a key with algorithm " + KeyNames.algorithm(algorithm);
        } catch (RuntimeException e) {
            return der.length + " bytes that are no public key";
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VerifyingKey key && point().equals(key.point());
    }

    @Override
    public int hashCode() {
        return point().hashCode();
    }

    @Override
    public String toString() {
        return "P-256 key " + id();
    }
}
