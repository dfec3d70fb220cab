package org.bitwitness.attestation.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.log.LogTestKit.entry;
import static org.bitwitness.attestation.log.LogTestKit.twoWitnesses;
import static org.bitwitness.attestation.log.LogTestKit.witnessedSettings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Proofs, honest and forged: threats 23, 24 and 25, and proofs against the wrong tree. */
class LogProofTest {
    private MemoryStore store;
    private LocalTileLog log;

    @BeforeEach
    void openALog() throws Exception {
        store = new MemoryStore();
        log = LocalTileLog.open(store, witnessedSettings());
    }

    /** A log appended after a checkpoint was taken: honest proofs must still be made for that checkpoint. */
    @Test
    void provesAgainstACheckpointAndNotAgainstTheTreeOfNow() throws Exception {
        log.append(List.of(entry("a")));
        VerifiedCheckpoint checkpoint = log.published().orElseThrow();
        log.append(List.of(entry("b")));
        log.append(List.of(entry("c")));

        LogReader then = LogReader.at(store, checkpoint);
        LogReceipt a = then.receipt(0);
        assertEquals(1, a.treeSize());
        assertEquals(checkpoint.checkpoint(), a.verify(twoWitnesses()).checkpoint());
        var advice = assertRefused("not in the checkpoint of 1 entries", () -> then.receipt(2));
        assertTrue(advice.getMessage().contains("get a newer checkpoint (size 3 or more)"), advice.getMessage());

        LogReader now = LogReader.open(store, twoWitnesses());
        assertEquals(3, now.receipt(2).verify(twoWitnesses()).checkpoint().size());
        LogReceipt mixed = new LogReceipt(now.receipt(0).inclusion(), a.checkpoint(), a.leaf());
        assertRefused("make the proof again", () -> mixed.verify(twoWitnesses()));
    }

    /** A global index counts over several logs; the proof is about the index in this one. */
    @Test
    void anEntryIsProvedByItsIndexInItsOwnTree() throws Exception {
        log.append(List.of(entry("a"), entry("b"), entry("c")));
        LogReceipt b = LogReader.open(store, twoWitnesses()).receipt(1);
        b.verify(twoWitnesses());
        for (long altered : new long[] {0, 2}) {
            InclusionProof moved = new InclusionProof(altered, 3, b.inclusion().path());
            assertRefused(
                    "does not lead from leaf",
                    () -> new LogReceipt(moved, b.checkpoint(), b.leaf()).verify(twoWitnesses()));
        }
    }

    @Test
    void refusesProofsWithMissingOrExtraSiblings() throws Exception {
        List<NewEntry> entries = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            entries.add(entry("entry " + i));
        }
        log.append(entries);
        LogReader reader = LogReader.open(store, twoWitnesses());
        for (int index = 0; index < 7; index++) {
            LogReceipt honest = reader.receipt(index);
            honest.verify(twoWitnesses());
            List<Sha256> path = honest.inclusion().path();
            List<Sha256> longer = new ArrayList<>(path);
            longer.add(Hashing.sha256("extra"));
            List<Sha256> other = new ArrayList<>(path);
            other.set(0, Hashing.sha256("other"));
            for (List<Sha256> forged : List.of(path.subList(1, path.size()), longer, other)) {
                InclusionProof proof = new InclusionProof(index, 7, forged);
                assertRefused(
                        "does not lead from leaf",
                        () -> new LogReceipt(proof, honest.checkpoint(), honest.leaf()).verify(twoWitnesses()));
            }
        }
    }

    @Test
    void refusesANodeShownAsALeaf() throws Exception {
        log.append(List.of(entry("a"), entry("b")));
        LogReceipt a = LogReader.open(store, twoWitnesses()).receipt(0);
        Sha256 b = a.inclusion().path().getFirst();
        byte[] node = new byte[65];
        node[0] = 1;
        System.arraycopy(a.leafHash().bytes(), 0, node, 1, 32);
        System.arraycopy(b.bytes(), 0, node, 33, 32);
        assertEquals(a.verify(twoWitnesses()).checkpoint().root(), Hashing.sha256(node));
        InclusionProof none = new InclusionProof(0, 1, List.of());
        Checkpoint tree = a.verify(twoWitnesses()).checkpoint();
        assertTrue(!none.proves(MerkleTree.leafHash(node), tree.root()), "a leaf is hashed after another byte");
        assertRefused("", () -> new LogReceipt(none, a.checkpoint(), node).verify(twoWitnesses()));
    }

    @Test
    void refusesAProofAgainstARootThatNoWitnessSigned() throws Exception {
        log.append(List.of(entry("a"), entry("b")));
        Sha256 forgedLeaf = MerkleTree.leafHash(entry("forged").leaf());
        Checkpoint forged = new Checkpoint(LogTestKit.ORIGIN, 1, forgedLeaf);
        SignedNote signedByTheLogAlone =
                new SignedNote(forged.text(), List.of(LogTestKit.logKey().sign(forged.text())));
        LogReceipt receipt = new LogReceipt(
                new InclusionProof(0, 1, List.of()),
                signedByTheLogAlone,
                entry("forged").leaf());
        assertTrue(receipt.inclusion().proves(forgedLeaf, forged.root()), "the proof itself is right");
        assertRefused("cosigned by no witness", () -> receipt.verify(twoWitnesses()));
        SignedNote unsigned = new SignedNote(forged.text(), List.of());
        assertRefused(
                "not signed by the key",
                () -> new LogReceipt(receipt.inclusion(), unsigned, receipt.leaf()).verify(twoWitnesses()));
    }

    @Test
    void refusesALogThatTellsASecondStory() throws Exception {
        log.append(List.of(entry("a"), entry("b"), entry("c")));
        Checkpoint seen = log.published().orElseThrow().checkpoint();
        log.append(List.of(entry("d")));
        LogReader.open(store, twoWitnesses()).requireContinues(seen);

        MemoryStore otherStore = new MemoryStore();
        LocalTileLog other = LocalTileLog.open(otherStore, witnessedSettings());
        other.append(List.of(entry("a"), entry("b"), entry("x"), entry("d")));
        LogReader forked = LogReader.open(otherStore, twoWitnesses());
        assertRefused("told two stories", () -> forked.requireContinues(seen));

        MemoryStore cutStore = new MemoryStore();
        LocalTileLog.open(cutStore, witnessedSettings()).append(List.of(entry("a")));
        assertRefused(
                "the log was cut back",
                () -> LogReader.open(cutStore, twoWitnesses()).requireContinues(seen));
    }

    @Test
    void aProofFileStandsAlone() throws Exception {
        log.append(List.of(entry("a"), entry("b"), entry("c")));
        LogReceipt receipt = LogReader.open(store, twoWitnesses()).receipt(1);
        String text = TlogProof.of(receipt).text();
        assertTrue(text.startsWith("c2sp.org/tlog-proof@v1\nextra "), text);
        TlogProof proof = TlogProof.parse(text.getBytes(UTF_8));
        assertEquals(text, proof.text());
        proof.verify(proof.extra().orElseThrow(), twoWitnesses());
        assertRefused("does not lead", () -> proof.verify(entry("a").leaf(), twoWitnesses()));
        TlogProof later = new TlogProof(Optional.empty(), 3, List.of(), receipt.checkpoint());
        assertRefused("the entry came later", () -> later.verify(receipt.leaf(), twoWitnesses()));
        for (String broken : List.of(
                text.replace("@v1", "@v2"),
                text.replace("index 1", "index 01"),
                text.replace("\n\n", "\n"),
                text.replace("index 1\n", "index 1\nAAAA\n"),
                text.replace("extra ", "extra !"))) {
            assertRefused("", () -> TlogProof.parse(broken.getBytes(UTF_8)));
        }
    }
}
