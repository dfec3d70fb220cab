package org.bitwitness.attestation.dsse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.bitwitness.attestation.keys.P256;
import org.bitwitness.attestation.keys.SigningKey;
import org.bouncycastle.crypto.signers.PlainDSAEncoding;
import org.bouncycastle.crypto.signers.StandardDSAEncoding;
import org.bouncycastle.util.BigIntegers;
import org.junit.jupiter.api.Test;

class DsseEnvelopeTest {
    private static final SigningKey ALICE = key(1);
    private static final SigningKey BOB = key(2);
    private static final byte[] BODY = "{\"a\":1}".getBytes(UTF_8);

    @Test
    void signsTheKnownAnswerOfTheDsseSpecification() throws Exception {
        BigInteger d = new BigInteger("97358161215184420915383655311931858321456579547487070936769975997791359926199");
        SigningKey key = SigningKey.ofScalar(BigIntegers.asUnsignedByteArray(32, d));
        byte[] body = "hello world".getBytes(UTF_8);
        DsseEnvelope envelope = DsseEnvelope.sign("http://example.com/HelloWorld", body, key);
        assertEquals("DSSEv1 29 http://example.com/HelloWorld 11 hello world", new String(envelope.pae(), UTF_8));
        BigInteger[] rs = StandardDSAEncoding.INSTANCE.decode(
                P256.order(), envelope.onlySignature().bytes());
        assertEquals(
                "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==",
                Base64.getEncoder().encodeToString(PlainDSAEncoding.INSTANCE.encode(P256.order(), rs[0], rs[1])));
        assertArrayEquals(body, envelope.verify(key.verifyingKey()).body());
    }

    @Test
    void countsBytesNotCharactersInTheEncoding() {
        assertEquals("DSSEv1 2 é 3 €", new String(DsseEnvelope.pae("é", "€".getBytes(UTF_8)), UTF_8));
    }

    @Test
    void signsTheSameBytesWhereverPeopleWriteOtherDigits() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertEquals("٣", "%d".formatted(3), "the trap this test is about");
            assertEquals("DSSEv1 1 t 3 abc", new String(DsseEnvelope.pae("t", "abc".getBytes(UTF_8)), UTF_8));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void readsWhatItWrites() throws Exception {
        DsseEnvelope envelope = DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, ALICE);
        DsseEnvelope read = DsseEnvelope.parse(envelope.toBytes());
        assertEquals(envelope, read);
        VerifiedPayload verified = read.verify(ALICE.verifyingKey());
        assertArrayEquals(BODY, verified.body());
        assertEquals(ALICE.verifyingKey(), verified.signer());
    }

    @Test
    void refusesAnotherKeyAnotherBodyAnotherTypeAndASwappedSignature() throws Exception {
        DsseEnvelope envelope = DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, ALICE);
        String json = new String(envelope.toBytes(), UTF_8);
        assertRefused("another key signed", () -> envelope.verify(BOB.verifyingKey()));
        String otherBody = json.replace(b64(BODY), b64("{\"a\":2}".getBytes(UTF_8)));
        assertRefused("bytes were changed", () -> parse(otherBody).verify(ALICE.verifyingKey()));
        String otherType = json.replace("vnd.in-toto", "vnd.in-tot0");
        assertRefused("bytes were changed", () -> parse(otherType).verify(ALICE.verifyingKey()));
        DsseEnvelope other = DsseEnvelope.sign(DsseEnvelope.IN_TOTO, "{\"a\":3}".getBytes(UTF_8), ALICE);
        String swapped = json.replace(
                b64(envelope.onlySignature().bytes()), b64(other.onlySignature().bytes()));
        assertRefused("bytes were changed", () -> parse(swapped).verify(ALICE.verifyingKey()));
    }

    @Test
    void movesNoByteBetweenTypeAndBody() throws Exception {
        // Without lengths these two would sign the same bytes.
        DsseEnvelope envelope = DsseEnvelope.sign("a b", "c".getBytes(UTF_8), ALICE);
        String json = new String(envelope.toBytes(), UTF_8)
                .replace("\"a b\"", "\"a\"")
                .replace(b64("c".getBytes(UTF_8)), b64("b c".getBytes(UTF_8)));
        assertRefused("another key", () -> parse(json).verify(ALICE.verifyingKey()));
    }

    @Test
    void decidesNothingByKeyId() throws Exception {
        DsseEnvelope envelope = DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, ALICE);
        String lying = new String(envelope.toBytes(), UTF_8)
                .replace(
                        ALICE.verifyingKey().id().hex(), BOB.verifyingKey().id().hex());
        assertEquals(
                ALICE.verifyingKey(), parse(lying).verify(ALICE.verifyingKey()).signer());
        assertRefused("another key", () -> parse(lying).verify(BOB.verifyingKey()));
    }

    @Test
    void acceptsUrlSafeBase64AndIgnoresUnknownFields() throws Exception {
        byte[] body = {(byte) 0xfb, (byte) 0xff, (byte) 0xfe, 0};
        DsseEnvelope envelope = DsseEnvelope.sign("t", body, ALICE);
        String json =
                "{\"payloadType\":\"t\",\"new\":[1,{}],\"payload\":\"%s\",\"signatures\":[{\"sig\":\"%s\",\"x\":1}]}"
                        .formatted(
                                Base64.getUrlEncoder().encodeToString(body),
                                Base64.getUrlEncoder()
                                        .encodeToString(envelope.onlySignature().bytes()));
        assertArrayEquals(body, parse(json).verify(ALICE.verifyingKey()).body());
    }

    @Test
    void acceptsAnyOfSeveralSignaturesButCallsForOneInALog() throws Exception {
        DsseEnvelope alice = DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, ALICE);
        DsseEnvelope bob = DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, BOB);
        String both = "{\"payload\":\"%s\",\"payloadType\":\"%s\",\"signatures\":[{\"sig\":\"%s\"},{\"sig\":\"%s\"}]}"
                .formatted(
                        b64(BODY),
                        DsseEnvelope.IN_TOTO,
                        b64(alice.onlySignature().bytes()),
                        b64(bob.onlySignature().bytes()));
        assertArrayEquals(BODY, parse(both).verify(BOB.verifyingKey()).body());
        assertRefused("exactly one signature", () -> LogEntry.ofDsse(parse(both), ALICE.verifyingKey()));
    }

    @Test
    void refusesMalformedJsonWithTheReason() {
        String good = new String(DsseEnvelope.sign("t", BODY, ALICE).toBytes(), UTF_8);
        assertRefused("Duplicate", () -> parse(good.replace("{\"payload\"", "{\"payload\":\"AA==\",\"payload\"")));
        assertRefused("\"payload\" is missing", () -> parse(good.replace("\"payload\"", "\"Payload\"")));
        assertRefused("\"payloadType\" is missing", () -> parse(good.replace("payloadType", "payload_type")));
        assertRefused("\"signatures\" is missing", () -> parse(good.replace("signatures", "signature")));
        assertRefused(
                "at least one signature",
                () -> parse("{\"payload\":\"AA==\",\"payloadType\":\"t\",\"signatures\":[]}"));
        assertRefused("text after the value", () -> parse(good + "{}"));
        assertRefused("not base64", () -> parse(good.replace(b64(BODY), "!!!!")));
        assertRefused("one spelling", () -> parse(good.replace(b64(BODY), "AB==")));
        assertRefused(
                "one spelling", () -> parse(good.replace(b64(BODY), b64(BODY).replace("=", ""))));
        assertRefused(
                "at most 16",
                () -> parse("{\"payload\":\"AA==\",\"payloadType\":\"t\",\"signatures\":["
                        + "{\"sig\":\"AA==\"},".repeat(16) + "{\"sig\":\"AA==\"}]}"));
        assertRefused(
                "1 to 256 bytes",
                () -> parse("{\"payload\":\"AA==\",\"payloadType\":\"t\",\"signatures\":[" + "{\"sig\":\""
                        + b64(new byte[257]) + "\"}]}"));
        assertRefused("at most", () -> DsseEnvelope.parse(new byte[5 << 20]));
        assertRefused(
                "1 to 2097152 bytes",
                () -> parse("{\"payload\":\"" + b64(new byte[(2 << 20) + 1])
                        + "\",\"payloadType\":\"t\",\"signatures\":[{\"sig\":\"AA==\"}]}"));
        assertThrows(IllegalArgumentException.class, () -> DsseEnvelope.sign("t", new byte[0], ALICE));
    }

    @Test
    void writesTheRekorLeafInSortedKeysWithoutSpaces() throws Exception {
        LogEntry entry = LogEntry.ofDsse(DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, ALICE), ALICE.verifyingKey());
        assertEquals(
                "{\"apiVersion\":\"0.0.2\",\"kind\":\"dsse\",\"spec\":{\"dsseV002\":{\"payloadHash\":{\"algorithm\":"
                        + "\"SHA2_256\",\"digest\":\"" + b64(entry.digest().bytes())
                        + "\"},\"signatures\":[{\"content\":\""
                        + b64(entry.signature())
                        + "\",\"verifier\":{\"keyDetails\":\"PKIX_ECDSA_P256_SHA_256\",\"publicKey\":{\"rawBytes\":\""
                        + b64(ALICE.verifyingKey().spki()) + "\"}}}]}}}",
                new String(entry.leaf(), UTF_8));
        assertEquals(entry, LogEntry.parse(entry.leaf()));
        assertEquals(Optional.of(entry.digest()), entry.payloadDigest());
    }

    @Test
    void putsTheEnvelopeTogetherFromLeafAndPayload() throws Exception {
        DsseEnvelope envelope = DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, ALICE);
        LogEntry entry =
                LogEntry.parse(LogEntry.ofDsse(envelope, ALICE.verifyingKey()).leaf());
        assertArrayEquals(BODY, entry.envelope(BODY).unverifiedPayload());
        assertRefused("expected SHA-256", () -> entry.envelope("{\"a\":2}".getBytes(UTF_8)));
        LogEntry otherKey = new LogEntry(entry.kind(), entry.digest(), entry.signature(), BOB.verifyingKey());
        assertRefused("another key", () -> otherKey.envelope(BODY));
        assertRefused("another key", () -> LogEntry.ofDsse(envelope, BOB.verifyingKey()));
    }

    @Test
    void readsAHashedRekordOverTheEncodingToo() throws Exception {
        DsseEnvelope envelope = DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, ALICE);
        LogEntry entry = new LogEntry(
                LogEntry.Kind.HASHEDREKORD,
                org.bitwitness.protocol.Hashing.sha256(envelope.pae()),
                envelope.onlySignature().bytes(),
                ALICE.verifyingKey());
        LogEntry read = LogEntry.parse(entry.leaf());
        assertEquals(entry, read);
        assertEquals(true, read.standsFor(envelope));
        assertEquals(Optional.empty(), read.payloadDigest());
        assertEquals(false, read.standsFor(DsseEnvelope.sign(DsseEnvelope.IN_TOTO, "{}".getBytes(UTF_8), ALICE)));
    }

    @Test
    void refusesOtherSpellingsOfALeaf() throws Exception {
        String leaf = new String(
                LogEntry.ofDsse(DsseEnvelope.sign(DsseEnvelope.IN_TOTO, BODY, ALICE), ALICE.verifyingKey())
                        .leaf(),
                UTF_8);
        assertRefused("another spelling", () -> LogEntry.parse((leaf + " ").getBytes(UTF_8)));
        assertRefused(
                "another spelling",
                () -> LogEntry.parse(leaf.replace(":{", ": {").getBytes(UTF_8)));
        assertRefused(
                "another spelling",
                () -> LogEntry.parse(leaf.replace("{\"apiV", "{\"x\":1,\"apiV").getBytes(UTF_8)));
        assertRefused(
                "apiVersion",
                () -> LogEntry.parse(leaf.replace("0.0.2", "0.0.1").getBytes(UTF_8)));
        assertRefused(
                "kind",
                () -> LogEntry.parse(leaf.replace("\"dsse\"", "\"intoto\"").getBytes(UTF_8)));
        assertRefused(
                "keyDetails", () -> LogEntry.parse(leaf.replace("P256", "P384").getBytes(UTF_8)));
        assertRefused(
                "algorithm",
                () -> LogEntry.parse(leaf.replace("SHA2_256", "SHA2_512").getBytes(UTF_8)));
        byte[] long1 = new byte[LogEntry.MAX_LEAF_BYTES + 1];
        Arrays.fill(long1, (byte) ' ');
        assertRefused("at most 4096", () -> LogEntry.parse(long1));
    }

    private static DsseEnvelope parse(String json) throws Exception {
        return DsseEnvelope.parse(json.getBytes(UTF_8));
    }

    private static String b64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
