package org.bitwitness.attestation.trust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.protocol.Hashing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WitnessPolicyTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final NoteSigner log = signer("log.example/one", NoteKeyType.ED25519, 1);
    private final NoteSigner x1 = signer("x1.example", NoteKeyType.COSIGNATURE_V1, 2);
    private final NoteSigner x2 = signer("x2.example", NoteKeyType.COSIGNATURE_V1, 3);
    private final NoteSigner y1 = signer("y1.example", NoteKeyType.COSIGNATURE_V1, 4);
    private final Checkpoint tree = new Checkpoint("log.example/one", 5, Hashing.sha256("root"));

    private static NoteSigner signer(String name, NoteKeyType type, int seed) {
        byte[] bytes = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(bytes, (byte) seed);
        try {
            return NoteSigner.ofSeed(name, type, bytes);
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }

    private String keys() {
        return "# a policy\n\nlog " + log.verifier().vkey() + " https://log.example/one\n"
                + "witness X1 " + x1.verifier().vkey() + "\n"
                + "\twitness  X2\t" + x2.verifier().vkey() + " http://127.0.0.1:1\n"
                + "witness Y1 " + y1.verifier().vkey() + "\n";
    }

    private static WitnessPolicy policy(String text) throws AttestationException {
        return WitnessPolicy.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private SignedNote note(NoteSignature... signatures) {
        return new SignedNote(tree.text(), List.of(signatures));
    }

    private NoteSignature byLog() {
        return log.sign(tree.text());
    }

    private NoteSignature by(NoteSigner witness, long secondsAfterNoon) {
        return witness.cosign(tree.text(), NOON.plusSeconds(secondsAfterNoon));
    }

    @Test
    void acceptsACheckpointThatMeetsNestedGroups() throws AttestationException {
        WitnessPolicy policy = policy(keys() + "group X any X1 X2\ngroup all-of-us all X Y1\nquorum all-of-us\n");
        VerifiedCheckpoint verified = policy.verify(note(byLog(), by(x2, 5), by(y1, 3)));
        assertEquals(tree, verified.checkpoint());
        assertEquals(2, verified.cosignatures().size());
        assertEquals(NOON.plusSeconds(5), verified.witnessedAt().orElseThrow());
        assertEquals(2, policy.quorum().fewest());
        assertEquals(
                List.of("X1", "X2", "Y1"),
                policy.beaconWitnesses().stream().map(WitnessIdentity::name).toList());
    }

    @Test
    void refusesACheckpointThatTooFewWitnessesSaw() throws AttestationException {
        WitnessPolicy policy = policy(keys() + "group both all X1 X2\nquorum both\n");
        assertEquals(
                2,
                policy.verify(note(byLog(), by(x1, 0), by(x2, 0)))
                        .cosignatures()
                        .size());
        AttestationException e =
                assertThrows(AttestationException.class, () -> policy.verify(note(byLog(), by(x1, 0), by(y1, 0))));
        assertEquals(AttestationException.Kind.REFUSED, e.kind());
        assertTrue(e.getMessage().contains("all of (X1, X2)"), e.getMessage());
        assertTrue(e.getMessage().contains("X1, Y1"), e.getMessage());
    }

    @Test
    void refusesACheckpointThatTheLogDidNotSign() throws AttestationException {
        WitnessPolicy policy = policy(keys() + "quorum X1\n");
        assertThrows(AttestationException.class, () -> policy.verify(note(by(x1, 0))));
        NoteSigner impostor = signer("log.example/one", NoteKeyType.ED25519, 9);
        assertThrows(AttestationException.class, () -> policy.verify(note(impostor.sign(tree.text()), by(x1, 0))));
    }

    @Test
    void refusesACheckpointOfAnotherLog() throws AttestationException {
        WitnessPolicy policy = policy(keys() + "quorum none\n");
        Checkpoint other = new Checkpoint("log.example/two", 5, tree.root());
        SignedNote note = new SignedNote(other.text(), List.of(log.sign(other.text())));
        AttestationException e = assertThrows(AttestationException.class, () -> policy.verify(note));
        assertTrue(e.getMessage().contains("log.example/one"), e.getMessage());
    }

    @Test
    void refusesTheWholeNoteWhenAListedWitnessSignatureIsBad() throws AttestationException {
        WitnessPolicy policy = policy(keys() + "quorum X1\n");
        NoteSignature ofAnotherText = x2.cosign("another\n", NOON);
        assertThrows(AttestationException.class, () -> policy.verify(note(byLog(), by(x1, 0), ofAnotherText)));
    }

    @Test
    void theLatestTimeOfAWitnessCountsWhicheverLineComesFirst() throws AttestationException {
        WitnessPolicy policy = policy(keys() + "quorum X1\n");
        for (SignedNote note : List.of(note(byLog(), by(x1, 4), by(x1, 9)), note(byLog(), by(x1, 9), by(x1, 4)))) {
            assertEquals(NOON.plusSeconds(9), policy.verify(note).witnessedAt().orElseThrow());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "quorum nobody\n",
                "quorum none\nquorum none\n",
                "quorum X1\nquorum X1\n",
                "group g all X1 X1\nquorum g\n",
                "group g all X1\ngroup h all X1 X2\nquorum h\n",
                "group g 0 X1 X2\nquorum g\n",
                "group g 3 X1 X2\nquorum g\n",
                "group g 01 X1 X2\nquorum g\n",
                "group g all none\nquorum g\n",
                "group g all later\ngroup later all X1\nquorum g\n",
                "group X1 all X2\nquorum X1\n",
                "group g all\nquorum g\n",
                "witnes w\nquorum none\n",
                "log not-a-key\nquorum none\n",
                "quorum none # said\n",
                "quorum none\r\n",
            })
    void refusesAPolicyThatCouldBeReadInTwoWays(String rest) throws AttestationException {
        policy(keys() + "quorum none\n");
        AttestationException e = assertThrows(AttestationException.class, () -> policy(keys() + rest));
        assertEquals(AttestationException.Kind.MALFORMED, e.kind());
    }

    @Test
    void refusesOneKeyUnderTwoNamesAndKeysOfTheWrongKind() {
        String again = signer("other.example", NoteKeyType.COSIGNATURE_V1, 2)
                .verifier()
                .vkey();
        assertThrows(AttestationException.class, () -> policy(keys() + "witness Z " + again + "\nquorum none\n"));
        assertThrows(
                AttestationException.class, () -> policy("log " + x1.verifier().vkey() + "\nquorum none\n"));
        assertThrows(
                AttestationException.class,
                () -> policy("witness w " + log.verifier().vkey() + "\nquorum none\n"));
    }
}
