package org.bitwitness.attestation.keys;

import java.math.BigInteger;
import java.util.Optional;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.math.ec.ECPoint;

/** The curve NIST P-256 (SP 800-186): its constants and the only ways to turn bytes into a point. */
public final class P256 {
    /** Bytes of a coordinate and of a scalar. */
    public static final int SCALAR_BYTES = 32;

    /** Bytes of a compressed point: 02 or 03, then x. */
    public static final int COMPRESSED_BYTES = 33;

    /** Bytes of an uncompressed point: 04, x, y. */
    public static final int UNCOMPRESSED_BYTES = 65;

    static final ECDomainParameters DOMAIN = domain();

    private P256() {}

    /** The order of the base point. */
    public static BigInteger order() {
        return DOMAIN.getN();
    }

    /** The base point. */
    public static ECPoint basePoint() {
        return DOMAIN.getG();
    }

    /**
     * Reads a compressed point and checks everything: length, prefix, x below the field prime, on the curve. The
     * cofactor is 1, so every point on the curve except infinity (which has no compressed form) is in the group.
     */
    public static Optional<ECPoint> decompress(byte[] encoded) {
        if (encoded.length != COMPRESSED_BYTES || (encoded[0] != 2 && encoded[0] != 3)) {
            return Optional.empty();
        }
        return decode(encoded);
    }

    static Optional<ECPoint> decodeUncompressed(byte[] encoded) {
        if (encoded.length != UNCOMPRESSED_BYTES || encoded[0] != 4) {
            return Optional.empty();
        }
        return decode(encoded);
    }

    private static Optional<ECPoint> decode(byte[] encoded) {
        try {
            // Bouncy Castle refuses coordinates that are not below the prime and points off the curve.
            ECPoint point = DOMAIN.getCurve().decodePoint(encoded).normalize();
            return point.isInfinity() || !point.isValid() ? Optional.empty() : Optional.of(point);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static ECDomainParameters domain() {
        X9ECParameters curve = CustomNamedCurves.getByName("secp256r1");
        return new ECDomainParameters(curve.getCurve(), curve.getG(), curve.getN(), curve.getH());
    }
}
