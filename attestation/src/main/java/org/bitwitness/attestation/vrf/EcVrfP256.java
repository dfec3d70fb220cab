package org.bitwitness.attestation.vrf;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;
import org.bitwitness.attestation.keys.P256;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;
import org.bouncycastle.math.ec.ECAlgorithms;
import org.bouncycastle.math.ec.ECPoint;
import org.bouncycastle.util.BigIntegers;

/**
 * ECVRF-P256-SHA256-TAI of RFC 9381: a proof {@code pi} (81 bytes) that the output {@code beta} (32 bytes) is the only
 * one this key has for {@code alpha}.
 *
 * <p>Names follow the RFC: {@code Y} the public key, {@code H} the input as a point, {@code Gamma = x·H}, {@code c} the
 * challenge, {@code s} the response. Public keys are validated when they are read ({@link VerifyingKey}).
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9381">RFC 9381, section 5</a>
 */
public final class EcVrfP256 {
    /** Bytes of a proof: Gamma (33), c (16), s (32). */
    public static final int PROOF_BYTES = 81;

    private static final byte SUITE = 0x01;
    private static final byte ENCODE_TO_CURVE = 0x01;
    private static final byte CHALLENGE = 0x02;
    private static final byte PROOF_TO_HASH = 0x03;
    private static final byte BACK = 0x00;
    private static final int CHALLENGE_BYTES = 16;

    private EcVrfP256() {}

    /** Proves the output of {@code key} for {@code alpha}. Deterministic. */
    public static VrfProof prove(SigningKey key, byte[] alpha) {
        byte[] publicKey = key.verifyingKey().compressed();
        ECPoint h = encodeToCurve(publicKey, alpha);
        byte[] hBytes = h.getEncoded(true);
        ECPoint gamma = h.multiply(key.scalar()).normalize();
        BigInteger k = nonce(key, hBytes);
        byte[] c = challenge(
                publicKey,
                hBytes,
                gamma,
                P256.basePoint().multiply(k).normalize(),
                h.multiply(k).normalize());
        BigInteger s = new BigInteger(1, c).multiply(key.scalar()).add(k).mod(P256.order());
        byte[] pi = new byte[PROOF_BYTES];
        System.arraycopy(gamma.getEncoded(true), 0, pi, 0, P256.COMPRESSED_BYTES);
        System.arraycopy(c, 0, pi, P256.COMPRESSED_BYTES, CHALLENGE_BYTES);
        byte[] sBytes = BigIntegers.asUnsignedByteArray(P256.SCALAR_BYTES, s);
        System.arraycopy(sBytes, 0, pi, P256.COMPRESSED_BYTES + CHALLENGE_BYTES, P256.SCALAR_BYTES);
        return new VrfProof(pi);
    }

    /**
     * Checks a proof.
     *
     * @return beta if {@code proof} is {@code key}'s proof for {@code alpha}; empty if it is not
     */
    public static Optional<Sha256> verify(VerifyingKey key, byte[] alpha, VrfProof proof) {
        byte[] pi = proof.bytes();
        Optional<ECPoint> decoded = P256.decompress(Arrays.copyOf(pi, P256.COMPRESSED_BYTES));
        int sAt = P256.COMPRESSED_BYTES + CHALLENGE_BYTES;
        byte[] cBytes = Arrays.copyOfRange(pi, P256.COMPRESSED_BYTES, sAt);
        BigInteger s = new BigInteger(1, Arrays.copyOfRange(pi, sAt, PROOF_BYTES));
        if (decoded.isEmpty() || s.compareTo(P256.order()) >= 0) {
            return Optional.empty();
        }
        ECPoint gamma = decoded.get();
        BigInteger minusC = P256.order().subtract(new BigInteger(1, cBytes));
        byte[] publicKey = key.compressed();
        ECPoint h = encodeToCurve(publicKey, alpha);
        ECPoint u = ECAlgorithms.sumOfTwoMultiplies(P256.basePoint(), s, key.point(), minusC)
                .normalize();
        ECPoint v = ECAlgorithms.sumOfTwoMultiplies(h, s, gamma, minusC).normalize();
        byte[] expected = challenge(publicKey, h.getEncoded(true), gamma, u, v);
        return Arrays.equals(expected, cBytes) ? Optional.of(beta(gamma)) : Optional.empty();
    }

    private static Sha256 beta(ECPoint gamma) {
        return hash(new byte[] {SUITE, PROOF_TO_HASH}, gamma.getEncoded(true), new byte[] {BACK});
    }

    /** Try-and-increment: counts ctr up until a hash is the x of a point. */
    private static ECPoint encodeToCurve(byte[] publicKey, byte[] alpha) {
        for (int ctr = 0; ctr < 256; ctr++) {
            Sha256 candidate =
                    hash(new byte[] {SUITE, ENCODE_TO_CURVE}, publicKey, alpha, new byte[] {(byte) ctr, BACK});
            byte[] point = new byte[P256.COMPRESSED_BYTES];
            point[0] = 2;
            System.arraycopy(candidate.bytes(), 0, point, 1, Sha256.BYTES);
            Optional<ECPoint> h = P256.decompress(point);
            if (h.isPresent()) {
                return h.get();
            }
        }
        throw new IllegalStateException("no point in 256 tries, which has probability 2^-256");
    }

    /** RFC 9381 section 5.4.2.1: the nonce of RFC 6979 for the message H. */
    private static BigInteger nonce(SigningKey key, byte[] h) {
        HMacDSAKCalculator calculator = new HMacDSAKCalculator(new SHA256Digest());
        calculator.init(P256.order(), key.scalar(), Hashing.sha256(h).bytes());
        return calculator.nextK();
    }

    private static byte[] challenge(byte[] publicKey, byte[] h, ECPoint gamma, ECPoint u, ECPoint v) {
        Sha256 digest = hash(
                new byte[] {SUITE, CHALLENGE},
                publicKey,
                h,
                gamma.getEncoded(true),
                u.getEncoded(true),
                v.getEncoded(true),
                new byte[] {BACK});
        return Arrays.copyOf(digest.bytes(), CHALLENGE_BYTES);
    }

    private static Sha256 hash(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return Hashing.sha256(all.toByteArray());
    }
}
