package org.bitwitness.attestation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.log.LogTestKit.NOON;
import static org.bitwitness.attestation.log.LogTestKit.ORIGIN;
import static org.bitwitness.attestation.log.LogTestKit.logKey;
import static org.bitwitness.attestation.log.LogTestKit.signer;
import static org.bitwitness.attestation.log.LogTestKit.twoWitnesses;
import static org.bitwitness.attestation.log.LogTestKit.witnessKey;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.http.HttpService;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.log.LogTestKit;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.note.NoteVerifier;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.protocol.Hashing;
import org.bouncycastle.math.ec.rfc8032.Ed25519;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that look like others, clocks that are wrong, texts that are too long, keys of no known kind. */
class HostileInputTest {
    private static final Checkpoint TREE = new Checkpoint(ORIGIN, 5, Hashing.sha256("tree"));

    private static SignedNote note(NoteSignature... witnesses) {
        return new SignedNote(TREE.text(), List.of(logKey().sign(TREE.text()))).with(List.of(witnesses));
    }

    private static NoteSignature cosigned(int witness) {
        return witnessKey(witness).cosign(TREE.text(), NOON);
    }

    @Test
    void acceptsTheUntouchedTwin() throws Exception {
        assertEquals(
                2,
                twoWitnesses()
                        .verify(note(cosigned(1), cosigned(2)))
                        .cosignatures()
                        .size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"w1.еxample", "ｗ1.example", "W1.example", "w1.example.", "w1.examp\u0142e", "w1.example\u0301"})
    void aNameThatLooksLikeAWitnesssIsAnotherWitness(String name) throws Exception {
        NoteSignature lookalike = signer(name, NoteKeyType.COSIGNATURE_V1, 11).cosign(TREE.text(), NOON);
        assertRefused("cosigned by", () -> twoWitnesses().verify(note(lookalike, cosigned(2))));
        // The witness's own key under its own name counts; the same bytes under another name do not.
        NoteSignature renamed =
                new NoteSignature(name, cosigned(1).keyId(), cosigned(1).bytes());
        assertRefused("cosigned by", () -> twoWitnesses().verify(note(renamed, cosigned(2))));
    }

    @Test
    void aLogWhoseNameOnlyLooksTheSameIsAnotherLog() throws Exception {
        for (String origin : List.of("log.example/tеst", "log.example/TEST", "log.example/tes\u0301t")) {
            NoteSigner lookalike = signer(origin, NoteKeyType.ED25519, 1);
            Checkpoint tree = new Checkpoint(origin, 5, Hashing.sha256("tree"));
            SignedNote note = new SignedNote(tree.text(), List.of(lookalike.sign(tree.text())))
                    .with(List.of(
                            witnessKey(1).cosign(tree.text(), NOON),
                            witnessKey(2).cosign(tree.text(), NOON)));
            assertRefused("the policy accepts", () -> twoWitnesses().verify(note));
        }
    }

    /** Each is invisible or turns the text around it. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                0x00, 0x09, 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1680, 0x180b, 0x180e, 0x200b, 0x200d,
                0x200e, 0x2028, 0x202e, 0x2060, 0x2066, 0x2800, 0x3000, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xe0001, 0xe0100
            })
    void refusesNamesWithCharactersThatNobodySees(int character) {
        String name = "w1" + Character.toString(character) + ".example";
        assertRefused(
                "a key name has",
                () -> NoteVerifier.of(
                        name, NoteKeyType.ED25519, logKey().verifier().publicKey()));
        assertRefused("", () -> Checkpoint.parse(name + "\n5\n" + TREE.text().split("\n", -1)[2] + "\n"));
        String line = "\u2014 " + name + " " + "A".repeat(92) + "\n";
        assertRefused("", () -> SignedNote.parse((TREE.text() + "\n" + line).getBytes(UTF_8)));
        assertRefused("", () -> LogTestKit.policy("log " + name + "+00000000+AAAA\nquorum none\n"));
        assertRefused("", () -> enrol(name));
    }

    @Test
    void enrolsNamesOfPlainLettersOnly() throws Exception {
        enrol("carol-2");
        for (String name : List.of("cаrol", "ｃarol", "carol２", "caro\u0301l", "-carol", "carol\n", "")) {
            assertRefused("1 to 64 letters", () -> enrol(name));
        }
    }

    private static void enrol(String name) throws AttestationException {
        KeyEventStatement good =
                new KeyEventStatement(new KeyEventStatement.Enrol(Planted.key(3).verifyingKey(), "placeholder"));
        String json = new String(good.toStatement().toBytes(), UTF_8);
        StringBuilder escaped = new StringBuilder();
        name.chars().forEach(unit -> escaped.append(String.format(java.util.Locale.ROOT, "\\u%04x", unit)));
        KeyEventStatement.of(org.bitwitness.attestation.statement.Statement.parse(
                json.replace("placeholder", escaped).getBytes(UTF_8)));
    }

    @Test
    void seesADuplicateKeyBehindAnEscape() throws Exception {
        DsseEnvelope envelope = LogTestKit.envelope("{}");
        String json = envelope.toJson().toText();
        assertRefused(
                "Duplicate",
                () -> DsseEnvelope.parse(json.replace("{\"payload\"", "{\"p\\u0061yload\":\"AA==\",\"payload\"")
                        .getBytes(UTF_8)));
        String bundle = SigstoreBundle.of(LogTestKit.ALICE.verifyingKey(), envelope, java.util.Optional.empty())
                .toJson()
                .toText();
        SigstoreBundle.parse(bundle.getBytes(UTF_8));
        assertRefused(
                "Duplicate",
                () -> SigstoreBundle.parse(bundle.replaceFirst("\\{", "{\"m\\\\u0065diaType\":\"x\",")
                        .getBytes(UTF_8)));
        byte[] overlong = json.getBytes(UTF_8);
        int at = json.indexOf("\"payload\"");
        overlong[at + 1] = (byte) 0xc1;
        overlong[at + 2] = (byte) 0xb0;
        assertRefused("", () -> DsseEnvelope.parse(overlong));
    }

    @Test
    void refusesANoteOfTenMegabytesWhereverItComesFrom() throws Exception {
        byte[] long1 = ("a\n".repeat(5 << 20) + "\n" + note(cosigned(1))).getBytes(UTF_8);
        byte[] long2 = (note(cosigned(1)) + "\u2014 w.example AAAAAAAA\n".repeat(500_000)).getBytes(UTF_8);
        for (byte[] note : List.of(long1, long2)) {
            assertRefused("at most", () -> SignedNote.parse(note));
            HttpService.Handler handler = request -> new HttpService.Reply(200, "text/plain", note);
            try (HttpService server =
                    HttpService.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1 << 10, handler)) {
                assertRefused(
                        "an answer may have",
                        () -> LogReader.open(LogSources.at(server.url().toString()), twoWitnesses()));
            }
        }
    }

    @Test
    void aCosignatureFromBeforeTheEpochOrBeyondTheCalendarIsNone() throws Exception {
        byte[] seed = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(seed, (byte) 11);
        for (long time : new long[] {NOON.getEpochSecond(), -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            byte[] message = ("cosignature/v1\ntime " + time + "\n" + TREE.text()).getBytes(UTF_8);
            byte[] signature = new byte[64];
            Ed25519.sign(seed, 0, message, 0, message.length, signature, 0);
            byte[] blob = ByteBuffer.allocate(72).putLong(time).put(signature).array();
            NoteSignature skewed = new NoteSignature(
                    witnessKey(1).verifier().name(), cosigned(1).keyId(), blob);
            if (time == NOON.getEpochSecond()) {
                twoWitnesses().verify(note(skewed, cosigned(2)));
            } else {
                assertRefused("", () -> twoWitnesses().verify(note(skewed, cosigned(2))));
            }
        }
    }

    @Test
    void namesTheKeyTypeItDoesNotKnow() throws Exception {
        NoteVerifier known = logKey().verifier();
        for (int type : new int[] {0x00, 0x02, 0x05, 0x06, 0xff}) {
            byte[] typed = ByteBuffer.allocate(33)
                    .put((byte) type)
                    .put(known.publicKey())
                    .array();
            int id = ByteBuffer.wrap(Hashing.sha256((ORIGIN + "\n").getBytes(UTF_8), typed)
                            .bytes())
                    .getInt();
            String vkey = ORIGIN + "+" + HexFormat.of().toHexDigits(id) + "+"
                    + java.util.Base64.getEncoder().encodeToString(typed);
            assertRefused("key type 0x" + HexFormat.of().toHexDigits((byte) type), () -> NoteVerifier.parse(vkey));
            // A line of such a key beside good ones says nothing for or against the note.
            NoteSignature foreign = new NoteSignature(ORIGIN, id, new byte[64]);
            twoWitnesses().verify(note(cosigned(1), cosigned(2), foreign));
        }
    }

    /** The eight points of small order and their other spellings: under such a key one signature fits many texts. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0100000000000000000000000000000000000000000000000000000000000000",
                "0100000000000000000000000000000000000000000000000000000000000080",
                "0000000000000000000000000000000000000000000000000000000000000000",
                "0000000000000000000000000000000000000000000000000000000000000080",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            })
    void refusesKeysAndSignaturesOfSmallOrder(String point) throws Exception {
        byte[] small = HexFormat.of().parseHex(point);
        assertRefused("full order", () -> NoteVerifier.of(ORIGIN, NoteKeyType.ED25519, small));
        byte[] signature = ByteBuffer.allocate(64).put(small).array();
        NoteVerifier key = logKey().verifier();
        assertFalse(key.verifies(TREE.text(), new NoteSignature(ORIGIN, key.keyId(), signature)));
        assertTrue(key.verifies(TREE.text(), logKey().sign(TREE.text())));
    }
}
