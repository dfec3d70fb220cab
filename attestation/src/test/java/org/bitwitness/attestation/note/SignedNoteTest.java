package org.bitwitness.attestation.note;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignedNoteTest {
    private static final String VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
    private static final String TEXT = "This is an example message.\n";
    private static final String LINE = "— example.com/foo "
            + "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=";
    private static final String NOTE = TEXT + "\n" + LINE + "\n";

    private static SignedNote parse(String note) throws AttestationException {
        return SignedNote.parse(note.getBytes(StandardCharsets.UTF_8));
    }

    private static NoteSigner signer(String name, NoteKeyType type, int seed) throws AttestationException {
        byte[] bytes = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(bytes, (byte) seed);
        return NoteSigner.ofSeed(name, type, bytes);
    }

    @Test
    void acceptsTheKnownAnswerOfTheSpecification() throws AttestationException {
        NoteVerifier key = NoteVerifier.parse(VKEY);
        SignedNote note = parse(NOTE);
        assertEquals(TEXT, note.text());
        assertEquals(1, note.verifiedBy(key).size());
        assertEquals(NOTE, note.toString());
        assertEquals(VKEY, key.vkey());
    }

    /** RFC 8032, section 7.1, tests 1 and 2: the ones whose message is text. */
    @ParameterizedTest
    @CsvSource({
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60,"
                + "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a,'',"
                + "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb,"
                + "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c,r,"
                + "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    })
    void signsAndVerifiesTheKnownAnswersOfRfc8032(String seed, String publicKey, String text, String signature)
            throws AttestationException {
        NoteSigner signer = NoteSigner.ofSeed(
                "a.example", NoteKeyType.ED25519, HexFormat.of().parseHex(seed));
        assertEquals(publicKey, HexFormat.of().formatHex(signer.verifier().publicKey()));
        NoteSignature signed = signer.sign(text);
        assertEquals(signature, HexFormat.of().formatHex(signed.bytes()));
        assertTrue(signer.verifier().verifies(text, signed));
        assertFalse(signer.verifier().verifies(text + "x", signed));
    }

    @Test
    void refusesAnotherTextUnderTheSameSignature() throws AttestationException {
        SignedNote note = parse(NOTE.replace("example message", "Example message"));
        AttestationException e =
                assertThrows(AttestationException.class, () -> note.verifiedBy(NoteVerifier.parse(VKEY)));
        assertEquals(AttestationException.Kind.REFUSED, e.kind());
        assertTrue(e.getMessage().contains("example.com/foo"), e.getMessage());
    }

    @Test
    void oneBadSignatureOfAKnownKeyRefusesTheNoteEvenBesideAGoodOne() throws AttestationException {
        NoteSigner signer = signer("a.example", NoteKeyType.ED25519, 1);
        NoteSignature good = signer.sign(TEXT);
        byte[] bytes = good.bytes();
        bytes[63] ^= 0x40;
        SignedNote note = new SignedNote(TEXT, List.of(good, new NoteSignature(good.name(), good.keyId(), bytes)));
        assertThrows(AttestationException.class, () -> note.verifiedBy(signer.verifier()));
        assertEquals(
                1,
                new SignedNote(TEXT, List.of(good))
                        .verifiedBy(signer.verifier())
                        .size());
    }

    @Test
    void ignoresKeysItDoesNotKnowEvenIfTheyShareAName() throws AttestationException {
        NoteSigner mine = signer("a.example", NoteKeyType.ED25519, 1);
        NoteSigner other = signer("a.example", NoteKeyType.ED25519, 2);
        SignedNote note = new SignedNote(TEXT, List.of(other.sign(TEXT)));
        assertTrue(note.verifiedBy(mine.verifier()).isEmpty());
    }

    @Test
    void takesSixteenSignaturesAndMore() throws AttestationException {
        List<NoteSignature> lines = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            lines.add(signer("w" + i, NoteKeyType.ED25519, i).sign(TEXT));
        }
        SignedNote note = parse(new SignedNote(TEXT, lines).toString());
        assertEquals(40, note.signatures().size());
        assertEquals(
                1,
                note.verifiedBy(signer("w39", NoteKeyType.ED25519, 39).verifier())
                        .size());
    }

    @Test
    void cosignaturesCarryTheirTimeAndCoverIt() throws AttestationException {
        NoteSigner witness = signer("w.example", NoteKeyType.COSIGNATURE_V1, 7);
        Instant time = Instant.ofEpochSecond(1_679_315_147L);
        NoteSignature signature = witness.cosign(TEXT, time);
        assertTrue(witness.verifier().verifies(TEXT, signature));
        assertEquals(time, witness.verifier().claimedTime(signature).orElseThrow());
        byte[] later = signature.bytes();
        later[7]++;
        assertFalse(witness.verifier().verifies(TEXT, new NoteSignature("w.example", signature.keyId(), later)));
    }

    @Test
    void aCosignatureKeyIsAnotherKeyThanThePlainOneOfTheSameName() throws AttestationException {
        NoteVerifier plain = signer("w.example", NoteKeyType.ED25519, 7).verifier();
        NoteVerifier cosigner =
                signer("w.example", NoteKeyType.COSIGNATURE_V1, 7).verifier();
        assertFalse(plain.keyId() == cosigner.keyId());
        assertFalse(plain.equals(cosigner));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no blank line\n",
                TEXT + "\n",
                TEXT + "\n" + "— example.com/foo\n",
                TEXT + "\n" + "- example.com/foo AAAAAAAA\n",
                TEXT + "\n" + "— example.com/foo AAAA\n",
                TEXT + "\n" + "— example.com/foo AAAAAA\n",
                TEXT + "\n" + "— example.com/foo AAAAAAB=\n",
                TEXT + "\n" + "— two words AAAAAAAA\n",
                TEXT + "\n" + "— plus+name AAAAAAAA\n",
                TEXT + "\n" + "— zero\u200bwidth AAAAAAAA\n",
                TEXT + "\n" + "— a.example AAAAAAAA",
                "tab\there\n\n— a.example AAAAAAAA\n",
                "return\r\n\n— a.example AAAAAAAA\n",
                TEXT + "\n" + "— a.example AAAAAAAA\n\n",
            })
    void refusesWhatIsNotANote(String note) {
        AttestationException e = assertThrows(AttestationException.class, () -> parse(note));
        assertEquals(AttestationException.Kind.MALFORMED, e.kind());
    }

    @Test
    void refusesTooManySignaturesTooManyBytesAndBytesThatAreNotUtf8() {
        String line = "— a.example AAAAAAAA\n";
        assertThrows(AttestationException.class, () -> parse(TEXT + "\n" + line.repeat(101)));
        assertThrows(AttestationException.class, () -> SignedNote.parse(new byte[SignedNote.MAX_BYTES + 1]));
        byte[] bytes = NOTE.getBytes(StandardCharsets.UTF_8);
        bytes[3] = (byte) 0xff;
        assertThrows(AttestationException.class, () -> SignedNote.parse(bytes));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                "example.com/foo+530d903a+BekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                "example.com/bar+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2",
                "example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                "example.com/foo+530d903a",
                "+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            })
    void refusesAMistypedVkey(String vkey) {
        assertThrows(AttestationException.class, () -> NoteVerifier.parse(vkey));
    }

    @Test
    void refusesKeysThatAreNoPointOfFullOrder() {
        byte[] identity = new byte[32];
        identity[0] = 1;
        byte[] notCanonical = new byte[32];
        Arrays.fill(notCanonical, (byte) 0xff);
        for (byte[] key : List.of(new byte[32], identity, notCanonical)) {
            assertThrows(AttestationException.class, () -> NoteVerifier.of("a.example", NoteKeyType.ED25519, key));
        }
    }

    @Test
    void refusesASignatureWhoseScalarIsNotReduced() throws AttestationException {
        NoteSigner signer = signer("a.example", NoteKeyType.ED25519, 3);
        byte[] signature = signer.sign(TEXT).bytes();
        assertTrue(signer.verifier().verifies(TEXT, signer.sign(TEXT)));
        // s + L, with L = 2^252 + 27742317777372353535851937790883648493, is the same scalar written otherwise.
        byte[] order =
                java.util.HexFormat.of().parseHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
        int carry = 0;
        for (int i = 0; i < 32; i++) {
            int sum = (signature[32 + i] & 0xff) + (order[i] & 0xff) + carry;
            signature[32 + i] = (byte) sum;
            carry = sum >>> 8;
        }
        NoteSignature other = new NoteSignature("a.example", signer.verifier().keyId(), signature);
        assertFalse(signer.verifier().verifies(TEXT, other));
        NoteSignature zero = new NoteSignature("a.example", signer.verifier().keyId(), new byte[64]);
        assertFalse(signer.verifier().verifies(TEXT, zero));
    }
}
