package org.bitwitness.attestation.drand;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.bitwitness.protocol.Hashing;
import org.bouncycastle.crypto.bls.BLS12_381G2;
import org.bouncycastle.crypto.bls.BLS12_381Serialization;
import org.bouncycastle.crypto.hash2curve.HashToCurveProfile;
import org.bouncycastle.crypto.hash2curve.HashToEllipticCurve;
import org.bouncycastle.math.ec.ECPoint;

/** A drand network of one member, whose secret this test knows. */
public final class OwnDrand {
    private static final BigInteger SECRET = new BigInteger("1234567890abcdef1234567890abcdef1234567890", 16);
    private static final String DOMAIN = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

    private OwnDrand() {}

    public static String publicKeyHex() {
        return HexFormat.of()
                .formatHex(BLS12_381Serialization.compressG2(
                        BLS12_381G2.getGenerator().multiply(SECRET)));
    }

    /** The network as a relay's {@code /info} describes it. */
    public static String info() {
        return """
            {"public_key":"%s","period":3,"genesis_time":1692803367,"hash":"%s",\
            "schemeID":"bls-unchained-g1-rfc9380","metadata":{"beaconID":"own"}}\
            """.formatted(publicKeyHex(), "ab".repeat(32));
    }

    public static DrandChain chain() {
        return new DrandChain("own", publicKeyHex(), 1_692_803_367L, 3, "ab".repeat(32));
    }

    public static byte[] sign(long round) {
        byte[] message = Hashing.sha256(
                        ByteBuffer.allocate(Long.BYTES).putLong(round).array())
                .bytes();
        ECPoint hashed = HashToEllipticCurve.getInstance(HashToCurveProfile.BLS12_381_G1_XMD_SHA_256_SSWU_RO, DOMAIN)
                .hashToCurve(message);
        return BLS12_381Serialization.compressG1(hashed.multiply(SECRET).normalize());
    }
}
