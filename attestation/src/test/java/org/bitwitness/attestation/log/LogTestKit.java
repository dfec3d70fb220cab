package org.bitwitness.attestation.log;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.Planted;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.trust.WitnessPolicy;

/** Keys, policies and entries that are the same in every run. */
public final class LogTestKit {
    public static final String ORIGIN = "log.example/test";
    public static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    public static final SigningKey ALICE = Planted.key(1);

    private LogTestKit() {}

    public static NoteSigner signer(String name, NoteKeyType type, int seed) {
        byte[] bytes = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(bytes, (byte) seed);
        try {
            return NoteSigner.ofSeed(name, type, bytes);
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static NoteSigner logKey() {
        return signer(ORIGIN, NoteKeyType.ED25519, 1);
    }

    public static NoteSigner witnessKey(int number) {
        return signer("w" + number + ".example", NoteKeyType.COSIGNATURE_V1, 10 + number);
    }

    /** The log alone is enough. */
    public static WitnessPolicy unwitnessed() throws AttestationException {
        return policy("log " + logKey().verifier().vkey() + "\nquorum none\n");
    }

    /** Witnesses 1 and 2 must both have cosigned. */
    public static WitnessPolicy twoWitnesses() throws AttestationException {
        return policy("log " + logKey().verifier().vkey() + "\nwitness w1 "
                + witnessKey(1).verifier().vkey() + "\nwitness w2 "
                + witnessKey(2).verifier().vkey() + "\ngroup both all w1 w2\nquorum both\n");
    }

    public static WitnessPolicy policy(String text) throws AttestationException {
        return WitnessPolicy.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Signs for the given witnesses without looking: good enough where witnesses are not what is tested. */
    public static CheckpointCosigner blindWitnesses(int... numbers) {
        return (checkpoint, proofs) -> {
            List<NoteSignature> signatures = new ArrayList<>();
            for (int number : numbers) {
                signatures.add(witnessKey(number).cosign(checkpoint.text(), NOON));
            }
            return new CheckpointCosigner.Collected(signatures, List.of());
        };
    }

    public static LocalTileLog.Settings unwitnessedSettings() throws AttestationException {
        return new LocalTileLog.Settings(logKey(), unwitnessed(), CheckpointCosigner.NONE);
    }

    public static LocalTileLog.Settings witnessedSettings() throws AttestationException {
        return new LocalTileLog.Settings(logKey(), twoWitnesses(), blindWitnesses(1, 2));
    }

    public static DsseEnvelope envelope(String body) {
        return DsseEnvelope.sign(DsseEnvelope.IN_TOTO, body.getBytes(StandardCharsets.UTF_8), ALICE);
    }

    public static NewEntry entry(String body) {
        try {
            return NewEntry.of(envelope(body), ALICE.verifyingKey());
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An entry that costs no signature; readers that parse leaves refuse it. */
    public static NewEntry rawEntry(int number) {
        byte[] bytes = ("raw " + number).getBytes(StandardCharsets.UTF_8);
        return new NewEntry(bytes, bytes);
    }

    public static List<NewEntry> rawEntries(int from, int to) {
        List<NewEntry> entries = new ArrayList<>();
        for (int i = from; i < to; i++) {
            entries.add(rawEntry(i));
        }
        return entries;
    }
}
