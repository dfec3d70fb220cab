package org.bitwitness.attestation.bundle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SigstoreBundleTest {
    private static final SigningKey ALICE = key(1);
    private static final SigningKey BOB = key(2);

    private final LittleLog log = new LittleLog();
    private final List<DsseEnvelope> envelopes = new ArrayList<>();
    private WitnessPolicy policy;

    @BeforeEach
    void fill() throws Exception {
        policy = log.policy();
        for (int i = 0; i < 7; i++) {
            DsseEnvelope envelope = envelope(i);
            envelopes.add(envelope);
            log.append(envelope, ALICE.verifyingKey());
        }
    }

    @Test
    void verifiesEveryEntryOfALog() throws Exception {
        for (int i = 0; i < 7; i++) {
            SigstoreBundle bundle = SigstoreBundle.parse(
                    log.bundle(envelopes.get(i), ALICE.verifyingKey(), i).toBytes());
            SigstoreBundle.Logged logged = bundle.verify(ALICE.verifyingKey(), policy);
            assertEquals(i, logged.index());
            assertEquals(7, logged.checkpoint().checkpoint().size());
            assertEquals(2, logged.checkpoint().cosignatures().size());
            assertArrayEquals(
                    envelopes.get(i).unverifiedPayload(), logged.payload().body());
        }
    }

    @Test
    void refusesTheWrongKeyIndexPayloadAndSignature() throws Exception {
        SigstoreBundle good = bundle(3);
        assertRefused("this is key", () -> good.verify(BOB.verifyingKey(), policy));
        assertRefused(
                "stands for another envelope",
                () -> withEnvelope(good, envelopes.get(4)).verify(ALICE.verifyingKey(), policy));
        DsseEnvelope bobs =
                DsseEnvelope.sign(DsseEnvelope.IN_TOTO, envelopes.get(3).unverifiedPayload(), BOB);
        SigstoreBundle swapped = new SigstoreBundle(ALICE.verifyingKey().id(), bobs, good.entry());
        assertRefused("another key signed", () -> swapped.verify(ALICE.verifyingKey(), policy));
        assertRefused(
                "does not lead", () -> withProof(good, 2, 7, proof(good).path()).verify(ALICE.verifyingKey(), policy));
        assertRefused(
                "names another key",
                () -> new SigstoreBundle(BOB.verifyingKey().id(), bobs, good.entry())
                        .verify(BOB.verifyingKey(), policy));
    }

    @Test
    void refusesMissingExtraAndChangedSiblings() throws Exception {
        SigstoreBundle good = bundle(3);
        List<Sha256> path = proof(good).path();
        List<Sha256> shorter = path.subList(0, path.size() - 1);
        assertRefused("does not lead", () -> withProof(good, 3, 7, shorter).verify(ALICE.verifyingKey(), policy));
        List<Sha256> longer = new ArrayList<>(path);
        longer.add(path.getFirst());
        assertRefused("does not lead", () -> withProof(good, 3, 7, longer).verify(ALICE.verifyingKey(), policy));
        List<Sha256> changed = new ArrayList<>(path);
        changed.set(0, path.get(1));
        assertRefused("does not lead", () -> withProof(good, 3, 7, changed).verify(ALICE.verifyingKey(), policy));
        assertRefused("a tree of 8", () -> withProof(good, 3, 8, path).verify(ALICE.verifyingKey(), policy));
    }

    @Test
    void refusesACheckpointThatTooFewWitnessesOrTheWrongLogSigned() throws Exception {
        SigstoreBundle lonely = SigstoreBundle.of(ALICE.verifyingKey(), envelopes.get(3), Optional.of(log.prove(3, 1)));
        assertRefused("the policy needs all of (w1, w2)", () -> lonely.verify(ALICE.verifyingKey(), policy));
        LittleLog forged = new LittleLog(LittleLog.ORIGIN, 66);
        forged.append(envelopes.get(3), ALICE.verifyingKey());
        SigstoreBundle fromForged = forged.bundle(envelopes.get(3), ALICE.verifyingKey(), 0);
        fromForged.verify(ALICE.verifyingKey(), forged.policy());
        assertRefused("not signed by the key", () -> fromForged.verify(ALICE.verifyingKey(), policy));
        LittleLog other = new LittleLog("other.example/log", 7);
        other.append(envelopes.get(3), ALICE.verifyingKey());
        assertRefused(
                "the policy accepts log.example/bitwitness",
                () -> other.bundle(envelopes.get(3), ALICE.verifyingKey(), 0).verify(ALICE.verifyingKey(), policy));
    }

    @Test
    void refusesAProofAgainstARootThatNobodySigned() throws Exception {
        SigstoreBundle good = bundle(3);
        TlogEntry entry = good.entry().orElseThrow();
        TlogEntry lying = new TlogEntry(
                entry.logKeyId(),
                entry.leaf(),
                new InclusionProof(0, 1, List.of()),
                entry.leaf().leafHash(),
                entry.checkpoint());
        assertRefused("the checkpoint is for 7", () -> with(good, lying).verify(ALICE.verifyingKey(), policy));
        TlogEntry otherLog = new TlogEntry(entry.root(), entry.leaf(), entry.proof(), entry.root(), entry.checkpoint());
        assertRefused("logId", () -> with(good, otherLog).verify(ALICE.verifyingKey(), policy));
    }

    @Test
    void acceptsASignatureThatWasNeverLoggedOnlyAsASignature() throws Exception {
        SigstoreBundle unlogged =
                SigstoreBundle.parse(SigstoreBundle.of(ALICE.verifyingKey(), envelopes.get(0), Optional.empty())
                        .toBytes());
        assertEquals(
                ALICE.verifyingKey(),
                unlogged.verifySignature(ALICE.verifyingKey()).signer());
        assertRefused("no log entry", () -> unlogged.verify(ALICE.verifyingKey(), policy));
    }

    @Test
    void readsAHashedRekordEntry() throws Exception {
        LogEntry entry = new LogEntry(
                LogEntry.Kind.HASHEDREKORD,
                org.bitwitness.protocol.Hashing.sha256(envelopes.get(0).pae()),
                envelopes.get(0).onlySignature().bytes(),
                ALICE.verifyingKey());
        SigstoreBundle good = bundle(0);
        TlogEntry old = good.entry().orElseThrow();
        SigstoreBundle bundle =
                with(good, new TlogEntry(old.logKeyId(), entry, old.proof(), old.root(), old.checkpoint()));
        assertEquals(bundle, SigstoreBundle.parse(bundle.toBytes()));
        assertRefused("does not lead", () -> bundle.verify(ALICE.verifyingKey(), policy));
    }

    @Test
    void refusesMalformedBundlesWithTheReason() throws Exception {
        String good = new String(bundle(3).toBytes(), UTF_8);
        SigstoreBundle.parse(good.getBytes(UTF_8));
        refused("mediaType", good.replace("v0.3", "v0.4"));
        refused("Duplicate", good.replace("{\"hint\"", "{\"hint\":\"\",\"hint\""));
        refused("text after the value", good + "{}");
        refused("found certificate", good.replace("{\"publicKey\"", "{\"certificate\":{},\"publicKey\""));
        refused("\"publicKey\" is missing", good.replace("\"publicKey\":{\"hint\"", "\"publicKeys\":{\"hint\""));
        refused("64 lower-case hex", good.replace("\"hint\":\"", "\"hint\":\"0"));
        refused("logIndex is 2 here and 3", good.replace("\"logIndex\":\"3\"}]}", "\"logIndex\":\"2\"}]}"));
        refused(
                "decimal number",
                good.replace("\"treeSize\":\"7\"", "\"treeSize\":7")
                        .replace("\"logIndex\":\"3\"", "\"logIndex\":\"03\""));
        refused("should be a string", good.replace("\"treeSize\":\"7\"", "\"treeSize\":7"));
        refused("not below treeSize", good.replace("\"treeSize\":\"7\"", "\"treeSize\":\"3\""));
        refused("kindVersion", good.replace("\"version\":\"0.0.2\"", "\"version\":\"0.0.1\""));
        refused("exactly one signature", good.replace("\"signatures\":[{", "\"signatures\":[{\"sig\":\"AA==\"},{"));
        refused("at most 1", good.replace("\"tlogEntries\":[", "\"tlogEntries\":[{},"));
        refused("should be an object", "[]");
        assertRefused("at most", () -> SigstoreBundle.parse(new byte[SigstoreBundle.MAX_BYTES + 1]));
    }

    @Test
    void changesNothingWhenOneByteOfTheLeafIsChanged() throws Exception {
        SigstoreBundle good = bundle(3);
        String json = new String(good.toBytes(), UTF_8);
        String leaf = new String(good.entry().orElseThrow().leaf().leaf(), UTF_8);
        String other = leaf.replace("\"apiVersion\"", " \"apiVersion\"");
        refused("another spelling", json.replace(b64(leaf), b64(other)));
    }

    private static void refused(String words, String json) {
        assertRefused(words, () -> SigstoreBundle.parse(json.getBytes(UTF_8)));
    }

    private SigstoreBundle bundle(int index) {
        return log.bundle(envelopes.get(index), ALICE.verifyingKey(), index);
    }

    private static InclusionProof proof(SigstoreBundle bundle) {
        return bundle.entry().orElseThrow().proof();
    }

    private static SigstoreBundle with(SigstoreBundle bundle, TlogEntry entry) {
        return new SigstoreBundle(bundle.hint(), bundle.envelope(), Optional.of(entry));
    }

    private static SigstoreBundle withEnvelope(SigstoreBundle bundle, DsseEnvelope envelope) {
        return new SigstoreBundle(bundle.hint(), envelope, bundle.entry());
    }

    private static SigstoreBundle withProof(SigstoreBundle bundle, long index, long size, List<Sha256> path) {
        TlogEntry old = bundle.entry().orElseThrow();
        return with(
                bundle,
                new TlogEntry(
                        old.logKeyId(),
                        old.leaf(),
                        new InclusionProof(index, size, path),
                        old.root(),
                        old.checkpoint()));
    }

    private static DsseEnvelope envelope(int i) {
        return DsseEnvelope.sign(DsseEnvelope.IN_TOTO, "{\"n\":%d}".formatted(i).getBytes(UTF_8), ALICE);
    }

    private static String b64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
