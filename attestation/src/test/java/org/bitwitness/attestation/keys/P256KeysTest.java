package org.bitwitness.attestation.keys;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.bitwitness.attestation.AttestationException;
import org.bouncycastle.crypto.signers.PlainDSAEncoding;
import org.bouncycastle.crypto.signers.StandardDSAEncoding;
import org.junit.jupiter.api.Test;

class P256KeysTest {
    private static final byte[] MESSAGE = "sample".getBytes(StandardCharsets.UTF_8);
    private static final SigningKey KEY = rfc6979Key();

    @Test
    void signsTheKnownAnswerOfRfc6979() throws Exception {
        // RFC 6979 appendix A.2.5, SHA-256, message "sample".
        BigInteger[] rs = decode(KEY.sign(MESSAGE));
        assertEquals("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716", rs[0].toString(16));
        assertEquals("f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8", rs[1].toString(16));
    }

    @Test
    void verifiesItsOwnSignatureAndNoOther() throws Exception {
        byte[] signature = KEY.sign(MESSAGE);
        assertTrue(KEY.verifyingKey().verify(MESSAGE, signature));
        assertFalse(KEY.verifyingKey().verify("sampl3".getBytes(StandardCharsets.UTF_8), signature));
        assertFalse(SigningKey.generate(new SecureRandom()).verifyingKey().verify(MESSAGE, signature));
        for (int bit = 0; bit < signature.length * 8; bit++) {
            byte[] flipped = signature.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            assertFalse(KEY.verifyingKey().verify(MESSAGE, flipped), "bit " + bit + " of the signature flipped");
        }
    }

    @Test
    void refusesSignaturesThatAreNotStrictDer() throws Exception {
        VerifyingKey key = KEY.verifyingKey();
        byte[] good = KEY.sign(MESSAGE);
        BigInteger[] rs = decode(good);
        assertFalse(key.verify(MESSAGE, Arrays.copyOf(good, good.length + 1)), "trailing byte");
        assertFalse(key.verify(MESSAGE, Arrays.copyOf(good, good.length - 1)), "cut");
        assertFalse(key.verify(MESSAGE, new byte[0]), "empty");
        assertFalse(key.verify(MESSAGE, PlainDSAEncoding.INSTANCE.encode(P256.order(), rs[0], rs[1])), "raw r and s");
        assertFalse(key.verify(MESSAGE, longLength(good)), "length in two bytes");
        assertFalse(key.verify(MESSAGE, der(rs[0], BigInteger.ZERO)), "s = 0");
        assertFalse(key.verify(MESSAGE, der(BigInteger.ZERO, rs[1])), "r = 0");
        assertFalse(key.verify(MESSAGE, der(rs[0], rs[1].add(P256.order()))), "s + n");
        assertFalse(key.verify(MESSAGE, der(rs[0].add(P256.order()), rs[1])), "r + n");
        assertFalse(key.verify(MESSAGE, der(rs[0], rs[1].negate())), "negative s");
    }

    @Test
    void acceptsBothSignsOfSAsOtherToolsDo() throws Exception {
        BigInteger[] rs = decode(KEY.sign(MESSAGE));
        assertTrue(KEY.verifyingKey().verify(MESSAGE, der(rs[0], P256.order().subtract(rs[1]))));
    }

    @Test
    void readsWhatItWrites() throws Exception {
        assertEquals(KEY.verifyingKey(), SigningKey.ofPem(KEY.pem()).verifyingKey());
        VerifyingKey read = VerifyingKey.ofPem(KEY.verifyingKey().pem());
        assertEquals(KEY.verifyingKey(), read);
        assertEquals(KEY.verifyingKey().id(), read.id());
        assertArrayEquals(KEY.verifyingKey().spki(), read.spki());
        assertEquals(91, read.spki().length);
    }

    @Test
    void readsAPrivateKeyWithoutItsPublicPart() throws Exception {
        byte[] der = HexFormat.of()
                .parseHex("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420"
                        + "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721");
        assertEquals(
                KEY.verifyingKey(),
                SigningKey.ofPem(Pem.encode(Pem.PRIVATE_KEY, der)).verifyingKey());
    }

    @Test
    void refusesEveryChangedBitOfAPrivateKey() throws Exception {
        byte[] der = Pem.decode(Pem.PRIVATE_KEY, KEY.pem());
        for (int bit = 0; bit < der.length * 8; bit++) {
            byte[] flipped = der.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            String pem = Pem.encode(Pem.PRIVATE_KEY, flipped);
            assertThrows(AttestationException.class, () -> SigningKey.ofPem(pem), "bit " + bit);
        }
    }

    @Test
    void refusesAPrivateKeyWhereAPublicOneBelongs() {
        assertRefused("treat the key as stolen", () -> VerifyingKey.ofPem(KEY.pem()));
    }

    @Test
    void namesTheCurveOrAlgorithmItDoesNotTake() {
        // Made with openssl genpkey and pkey -pubout.
        String p384 = "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAExiKoC6qh2N3yDEuNH5WS3GrSBGEoPlxG02Ty9LVvLiqrFi+YMkCGITcwHVxIZhH3"
                + "laHBJOR+LMDlg9AU8/G0ee+4FZrBJHLu3cvHRHjXO8N9t9EFqDcpxSR2QuxpX6GL";
        String ed25519 = "MCowBQYDK2VwAyEAnNJcjR3oiBjebpqCA+ovF4c4bid6oH2VBtAGex0hxYU=";
        assertRefused(
                "curve P-384", () -> VerifyingKey.ofSpki(Base64.getDecoder().decode(p384)));
        assertRefused(
                "algorithm Ed25519",
                () -> VerifyingKey.ofSpki(Base64.getDecoder().decode(ed25519)));
        assertRefused("no public key", () -> VerifyingKey.ofSpki(new byte[91]));
    }

    @Test
    void refusesAPointOffTheCurveOrACompressedOne() {
        byte[] off = KEY.verifyingKey().spki();
        off[90] ^= 1;
        assertRefused("not on the curve", () -> VerifyingKey.ofSpki(off));
        byte[] overPrime = KEY.verifyingKey().spki();
        Arrays.fill(overPrime, 27, 59, (byte) 0xff);
        assertRefused("not on the curve", () -> VerifyingKey.ofSpki(overPrime));
        byte[] compressed = HexFormat.of()
                .parseHex("3039301306072a8648ce3d020106082a8648ce3d030107032200"
                        + HexFormat.of().formatHex(KEY.verifyingKey().compressed()));
        assertRefused("uncompressed", () -> VerifyingKey.ofSpki(compressed));
    }

    @Test
    void refusesOtherSpellingsOfPem() {
        String pem = KEY.verifyingKey().pem();
        assertRefused("exactly one", () -> VerifyingKey.ofPem(pem + "\n"));
        assertRefused("exactly one", () -> VerifyingKey.ofPem("hello\n" + pem));
        assertRefused("exactly one", () -> VerifyingKey.ofPem(pem.replace("\n", "\r\n")));
        assertRefused("not base64", () -> VerifyingKey.ofPem(pem + pem));
        assertRefused("exactly one", () -> VerifyingKey.ofPem(pem.substring(0, pem.length() - 1)));
        assertRefused("64 base64 columns", () -> VerifyingKey.ofPem(pem.replaceFirst("Yfps", "\nYfps")));
        assertRefused("at most 4096", () -> VerifyingKey.ofPem(pem.repeat(40)));
        assertRefused("expected PKCS#8", () -> SigningKey.ofPem("-----BEGIN EC PRIVATE KEY-----\nAA==\n"));
        assertRefused("passphrase", () -> SigningKey.ofPem("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n"));
    }

    @Test
    void refusesScalarsOutsideTheGroup() {
        assertRefused("[1, n)", () -> SigningKey.ofScalar(new byte[32]));
        byte[] n = P256.order().toByteArray();
        assertRefused("[1, n)", () -> SigningKey.ofScalar(Arrays.copyOfRange(n, n.length - 32, n.length)));
    }

    private static SigningKey rfc6979Key() {
        try {
            return SigningKey.ofScalar(
                    HexFormat.of().parseHex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"));
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static BigInteger[] decode(byte[] der) throws java.io.IOException {
        return StandardDSAEncoding.INSTANCE.decode(P256.order(), der);
    }

    private static byte[] der(BigInteger r, BigInteger s) throws java.io.IOException {
        org.bouncycastle.asn1.ASN1EncodableVector both = new org.bouncycastle.asn1.ASN1EncodableVector();
        both.add(new org.bouncycastle.asn1.ASN1Integer(r));
        both.add(new org.bouncycastle.asn1.ASN1Integer(s));
        return new org.bouncycastle.asn1.DERSequence(both).getEncoded();
    }

    private static byte[] longLength(byte[] der) {
        byte[] out = new byte[der.length + 1];
        out[0] = der[0];
        out[1] = (byte) 0x81;
        System.arraycopy(der, 1, out, 2, der.length - 1);
        return out;
    }

    private static void assertRefused(String words, org.junit.jupiter.api.function.Executable action) {
        AttestationException e = assertThrows(AttestationException.class, action);
        assertTrue(e.getMessage().contains(words), () -> "expected \"" + words + "\" in: " + e.getMessage());
    }
}
