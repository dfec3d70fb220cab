package org.bitwitness.attestation.drand;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HexFormat;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Hashing;
import org.bouncycastle.crypto.bls.BLS12_381G1;
import org.bouncycastle.crypto.bls.BLS12_381G2;
import org.bouncycastle.crypto.bls.BLS12_381G2Point;
import org.bouncycastle.crypto.bls.BLS12_381Pairing;
import org.bouncycastle.crypto.bls.BLS12_381Serialization;
import org.bouncycastle.crypto.bls.BLS12_381SubgroupCheck;
import org.bouncycastle.crypto.bls.Fp12Element;
import org.bouncycastle.crypto.hash2curve.HashToCurveProfile;
import org.bouncycastle.crypto.hash2curve.HashToEllipticCurve;
import org.bouncycastle.math.ec.ECCurve;
import org.bouncycastle.math.ec.ECPoint;

/**
 * A drand network of scheme {@code bls-unchained-g1-rfc9380}: every period it signs the number of the round with a key
 * that no single member holds. The signature is a point on G1, the key on G2.
 *
 * @param name what policies call it
 * @param publicKeyHex compressed, 96 bytes
 * @param genesisSecond time of round 1, seconds since 1970
 * @param periodSeconds from a round to the next
 * @param chainHash names the network at its HTTP servers
 */
public record DrandChain(String name, String publicKeyHex, long genesisSecond, long periodSeconds, String chainHash) {
    /** The League of Entropy's network with a round every three seconds. */
    public static final DrandChain QUICKNET = new DrandChain(
            "quicknet",
            "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
                    + "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
            1_692_803_367L,
            3,
            "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971");

    /** Bytes of a round's signature. */
    public static final int SIGNATURE_BYTES = 48;

    /** What was committed is public for this long before its round can exist. */
    private static final long GRACE_SECONDS = 30;

    private static final int KEY_BYTES = 96;
    private static final String DOMAIN = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

    public DrandChain {
        if (!publicKeyHex.matches("[0-9a-f]{" + 2 * KEY_BYTES + "}") || !chainHash.matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException("a drand key has 192 hex digits, a chain hash 64");
        }
        if (periodSeconds < 1 || genesisSecond < 0) {
            throw new IllegalArgumentException("a drand network has a period of 1 s or more and a genesis after 1970");
        }
    }

    /**
     * The round that a commitment gets: the first that begins 30 s or more after the witnesses saw it, so nobody could
     * know it when committing, and nobody chooses it afterwards.
     *
     * @param witnessed the latest cosignature time on the first checkpoint that holds the commitment
     */
    public long roundAfter(Instant witnessed) throws AttestationException {
        long seconds = witnessed.getEpochSecond() + GRACE_SECONDS - genesisSecond;
        if (seconds < 0) {
            throw AttestationException.refused(
                    "witnessed at %s, before %s began: no round follows from that".formatted(witnessed, name));
        }
        return seconds / periodSeconds + 1;
    }

    /** When a round is published. */
    public Instant timeOf(long round) {
        return Instant.ofEpochSecond(genesisSecond + (round - 1) * periodSeconds);
    }

    /**
     * Checks a round's signature.
     *
     * @throws AttestationException malformed, if it is no point of G1's subgroup in its one spelling; refused, if it is
     *     not this network's for this round
     */
    public void verify(long round, byte[] signature) throws AttestationException {
        ECPoint sigma = signaturePoint(signature);
        BLS12_381G2Point key = key();
        byte[] message = Hashing.sha256(
                        ByteBuffer.allocate(Long.BYTES).putLong(round).array())
                .bytes();
        ECPoint hashed = HashToEllipticCurve.getInstance(HashToCurveProfile.BLS12_381_G1_XMD_SHA_256_SSWU_RO, DOMAIN)
                .hashToCurve(message);
        // e(sigma, g2) = e(H(m), key), as one product: e(sigma, -g2) · e(H(m), key) = 1.
        Fp12Element product = BLS12_381Pairing.multiPair(
                new ECPoint[] {sigma, hashed.normalize()},
                new BLS12_381G2Point[] {BLS12_381G2.getGenerator().negate(), key});
        if (!product.equals(Fp12Element.ONE)) {
            throw AttestationException.refused(
                    "the signature is not that of drand network %s for round %d: fetch that round again"
                            .formatted(name, round));
        }
    }

    /** The point that a signature is, in its one spelling and in the right subgroup. */
    private static ECPoint signaturePoint(byte[] signature) throws AttestationException {
        if (signature.length != SIGNATURE_BYTES) {
            throw AttestationException.malformed(
                    "a drand signature has %d bytes, this one has %d".formatted(SIGNATURE_BYTES, signature.length));
        }
        ECPoint point;
        try {
            ECCurve curve = BLS12_381G1.createCurve();
            point = BLS12_381Serialization.decompressG1(signature, curve).normalize();
        } catch (RuntimeException e) {
            throw new AttestationException(
                    AttestationException.Kind.MALFORMED, "a drand signature should be a point on G1: " + e, e);
        }
        if (point.isInfinity()
                || !BLS12_381SubgroupCheck.isInG1Subgroup(point)
                || !java.util.Arrays.equals(signature, BLS12_381Serialization.compressG1(point))) {
            throw AttestationException.malformed("a drand signature should be a point of G1's prime-order subgroup");
        }
        return point;
    }

    private BLS12_381G2Point key() throws AttestationException {
        try {
            BLS12_381G2Point key =
                    BLS12_381Serialization.decompressG2(HexFormat.of().parseHex(publicKeyHex));
            if (!key.isInfinity() && BLS12_381SubgroupCheck.isInG2Subgroup(key)) {
                return key;
            }
        } catch (RuntimeException e) {
            throw new AttestationException(
                    AttestationException.Kind.MALFORMED, "the key of drand network " + name + " is no point: " + e, e);
        }
        throw AttestationException.malformed("the key of drand network " + name + " is not in G2's subgroup");
    }
}
