package org.bitwitness.attestation.log;

import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.log.LogTestKit.ALICE;
import static org.bitwitness.attestation.log.LogTestKit.entry;
import static org.bitwitness.attestation.log.LogTestKit.envelope;
import static org.bitwitness.attestation.log.LogTestKit.rawEntries;
import static org.bitwitness.attestation.log.LogTestKit.rawEntry;
import static org.bitwitness.attestation.log.LogTestKit.twoWitnesses;
import static org.bitwitness.attestation.log.LogTestKit.unwitnessed;
import static org.bitwitness.attestation.log.LogTestKit.unwitnessedSettings;
import static org.bitwitness.attestation.log.LogTestKit.witnessedSettings;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.Planted;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalTileLogTest {
    private static final long SEED = 20260101L;

    @TempDir
    Path folder;

    @Test
    void givesTheRootsOfTheTreeAtEverySizeWithWholeTilesInBetween() throws Exception {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        MemoryStore store = new MemoryStore();
        LocalTileLog log = LocalTileLog.open(store, unwitnessedSettings());
        List<Sha256> leaves = new ArrayList<>();
        while (leaves.size() < 1000) {
            int count = Math.min(1000 - leaves.size(), 1 + random.nextInt(random.nextInt(4) == 0 ? 300 : 12));
            List<NewEntry> batch = rawEntries(leaves.size(), leaves.size() + count);
            batch.forEach(e -> leaves.add(MerkleTree.leafHash(e.leaf())));
            List<LogReceipt> receipts = log.append(batch);
            Checkpoint tree = receipts.getFirst().verify(unwitnessed()).checkpoint();
            assertEquals(leaves.size(), tree.size());
            assertEquals(MerkleTree.root(leaves), tree.root());
        }
        LogReader reader = LogReader.open(store, unwitnessed());
        for (int index = 0; index < leaves.size(); index += 37) {
            assertEquals(
                    MerkleTree.inclusionProof(leaves, index),
                    reader.receipt(index).inclusion());
        }
        for (int old = 0; old <= leaves.size(); old += 41) {
            assertEquals(MerkleTree.consistencyProof(leaves, old), reader.consistencyFrom(old));
        }
    }

    @Test
    void aReceiptVerifiesUnderThePolicyAndNamesItsEntry() throws Exception {
        try (LocalTileLog log = LocalTileLog.open(folder, witnessedSettings())) {
            LogReceipt first = log.append(envelope("first"), ALICE.verifyingKey());
            LogReceipt second = log.append(envelope("second"), ALICE.verifyingKey());
            assertEquals(0, first.index());
            assertEquals(1, second.index());
            assertEquals(2, second.verify(twoWitnesses()).cosignatures().size());
            assertEquals(
                    LogReceipt.parse(second.toJson().toText().getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                    second);
        }
    }

    @Test
    void theSameStatementTwiceIsOneEntry() throws Exception {
        try (LocalTileLog log = LocalTileLog.open(folder, witnessedSettings())) {
            LogReceipt first = log.append(envelope("a"), ALICE.verifyingKey());
            log.append(envelope("b"), ALICE.verifyingKey());
            LogReceipt again = log.append(envelope("a"), ALICE.verifyingKey());
            assertEquals(first.index(), again.index());
            assertEquals(2, again.treeSize());
            assertEquals(
                    List.of(0L, 0L, 2L),
                    log.append(List.of(entry("a"), entry("a"), entry("c"))).stream()
                            .map(LogReceipt::index)
                            .toList());
        }
    }

    @Test
    void refusesAStatementThatItsKeyDidNotSign() throws Exception {
        try (LocalTileLog log = LocalTileLog.open(folder, witnessedSettings())) {
            assertRefused(
                    "another key signed",
                    () -> log.append(envelope("a"), Planted.key(2).verifyingKey()));
            assertTrue(log.published().isEmpty());
        }
    }

    @Test
    void goesOnAfterItIsOpenedAgain() throws Exception {
        List<Sha256> leaves = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            try (LocalTileLog log = LocalTileLog.open(folder, unwitnessedSettings())) {
                List<NewEntry> batch = rawEntries(leaves.size(), leaves.size() + 90);
                batch.forEach(e -> leaves.add(MerkleTree.leafHash(e.leaf())));
                assertEquals(
                        MerkleTree.root(leaves),
                        log.append(batch)
                                .getFirst()
                                .verify(unwitnessed())
                                .checkpoint()
                                .root());
            }
        }
        assertTrue(Files.exists(folder.resolve("tile/0/000")));
        assertTrue(Files.exists(folder.resolve("tile/1/000.p/1")));
        assertTrue(Files.exists(folder.resolve("tile/entries/001.p/104")));
        assertTrue(Files.notExists(folder.resolve("tile/entries/000.p/180")), "partial tiles of full ones are dropped");
    }

    @Test
    void allowsOneWriter() throws Exception {
        try (LocalTileLog log = LocalTileLog.open(folder, unwitnessedSettings())) {
            assertRefused("one writer", () -> LocalTileLog.open(folder, unwitnessedSettings()));
            log.append(List.of(rawEntry(1)));
        }
        LocalTileLog.open(folder, unwitnessedSettings()).close();
    }

    @Test
    void publishesNothingThatThePolicyWouldRefuseAndKeepsTheEntries() throws Exception {
        MemoryStore store = new MemoryStore();
        LocalTileLog oneWitness = LocalTileLog.open(
                store, new LocalTileLog.Settings(LogTestKit.logKey(), twoWitnesses(), LogTestKit.blindWitnesses(1)));
        AttestationException e = assertRefused("all of (w1, w2)", () -> oneWitness.append(List.of(entry("a"))));
        assertEquals(AttestationException.Kind.ENVIRONMENT, e.kind());
        assertTrue(store.read("checkpoint", 1 << 20).isEmpty());

        LocalTileLog bothWitnesses = LocalTileLog.open(store.afterPowerCut(), witnessedSettings());
        LogReceipt receipt =
                bothWitnesses.append(List.of(entry("b"), entry("a"))).getLast();
        assertEquals(0, receipt.index(), "the unacknowledged entry kept its place");
        assertEquals(
                1,
                receipt.verify(twoWitnesses()).checkpoint().size(),
                "the first tree with it: for no later one a witness answers a beacon");
    }

    @Test
    void keepsTheSequenceOfCheckpointsThatWitnessesMayHaveSeen() throws Exception {
        List<Long> asked = new ArrayList<>();
        boolean[] answering = {false};
        CheckpointCosigner recording = (checkpoint, proofs) -> {
            asked.add(Checkpoint.parse(checkpoint.text()).size());
            return LogTestKit.blindWitnesses(answering[0] ? new int[] {1, 2} : new int[] {1})
                    .cosign(checkpoint, proofs);
        };
        MemoryStore store = new MemoryStore();
        LocalTileLog log =
                LocalTileLog.open(store, new LocalTileLog.Settings(LogTestKit.logKey(), twoWitnesses(), recording));
        assertRefused("not published", () -> log.append(List.of(entry("a"))));
        assertRefused("not published", () -> log.append(List.of(entry("b"))));
        answering[0] = true;
        log.append(List.of(entry("b"), entry("c")));
        assertEquals(List.of(1L, 1L, 1L, 3L), asked, "a tree of one is published before the tree of three is made");
    }

    @Test
    void refusesAFolderOfAnotherKeyAndAMixtureOfTwoStates() throws Exception {
        MemoryStore store = new MemoryStore();
        LocalTileLog.open(store, unwitnessedSettings()).append(rawEntries(0, 3));
        byte[] treeOfThree = store.files.get(LocalTileLog.TREE);
        LocalTileLog.open(store, unwitnessedSettings()).append(rawEntries(3, 5));

        var stranger = LogTestKit.signer(LogTestKit.ORIGIN, org.bitwitness.attestation.note.NoteKeyType.ED25519, 99);
        WitnessPolicy strangers = LogTestKit.policy("log " + stranger.verifier().vkey() + "\nquorum none\n");
        assertRefused(
                "another key",
                () -> LocalTileLog.open(
                        store, new LocalTileLog.Settings(stranger, strangers, CheckpointCosigner.NONE)));

        MemoryStore mixed = store.afterPowerCut();
        mixed.files.put(LocalTileLog.TREE, treeOfThree);
        assertRefused("mixture of two states", () -> LocalTileLog.open(mixed, unwitnessedSettings()));
        LocalTileLog.open(store, unwitnessedSettings());
    }

    @Test
    void refusesToGoOnFromADamagedTile() throws Exception {
        MemoryStore store = new MemoryStore();
        LocalTileLog.open(store, unwitnessedSettings()).append(rawEntries(0, 300));
        for (String path : List.of("tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/001.p/44")) {
            MemoryStore damaged = store.withFlippedBit(path, 20);
            assertRefused("", () -> LocalTileLog.open(damaged, unwitnessedSettings()));
        }
        LocalTileLog.open(store, unwitnessedSettings());
    }

    @Test
    void knownAnswersOfTheTreeHash() throws Exception {
        List<String> hex =
                List.of("00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f");
        List<Sha256> leaves = new ArrayList<>(List.of(MerkleTree.leafHash(new byte[0])));
        hex.forEach(h -> leaves.add(MerkleTree.leafHash(java.util.HexFormat.of().parseHex(h))));
        assertEquals(
                "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
                MerkleTree.root(leaves.subList(0, 3)).hex());
        assertEquals(
                "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
                MerkleTree.root(leaves.subList(0, 7)).hex());
        assertEquals(
                "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
                MerkleTree.root(leaves).hex());
    }

    @Test
    void readersOfAnOlderCheckpointAreServedFromTheGrownLog() throws Exception {
        MemoryStore store = new MemoryStore();
        LocalTileLog log = LocalTileLog.open(store, unwitnessedSettings());
        log.append(rawEntries(0, 200));
        VerifiedCheckpoint old = log.published().orElseThrow();
        log.append(rawEntries(200, 700));
        assertTrue(store.read("tile/0/000.p/200", 1 << 20).isEmpty(), "its partial tile is gone");
        LogReader reader = LogReader.at(store, old);
        assertEquals(200, reader.size());
        assertArrayEquals(rawEntry(150).leaf(), reader.leaf(150));
        assertEquals(200, reader.receipt(3).treeSize());
        assertRefused("newer checkpoint", () -> reader.receipt(200));
        LogReader.open(store, unwitnessed()).requireContinues(old.checkpoint());
    }

    @Test
    void storesEveryPayloadUnderItsDigest() throws Exception {
        try (LocalTileLog log = LocalTileLog.open(folder, witnessedSettings())) {
            log.append(List.of(entry("one"), entry("two")));
        }
        LogReader reader = LogReader.open(LogSources.at(folder.toString()), twoWitnesses());
        assertArrayEquals(
                "two".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                reader.payload(Hashing.sha256("two")).orElseThrow());
        assertEquals(List.of(), reader.missingPayloads());
        Files.delete(folder.resolve("payload").resolve(Hashing.sha256("one").hex()));
        assertEquals(List.of(0L), reader.missingPayloads());
        Files.writeString(
                folder.resolve("payload").resolve(Hashing.sha256("two").hex()), "tWo");
        assertRefused("it was changed", reader::missingPayloads);
    }
}
