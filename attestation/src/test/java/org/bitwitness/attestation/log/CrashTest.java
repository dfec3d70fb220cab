package org.bitwitness.attestation.log;

import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.log.LogTestKit.rawEntries;
import static org.bitwitness.attestation.log.LogTestKit.unwitnessed;
import static org.bitwitness.attestation.log.LogTestKit.unwitnessedSettings;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The disk breaks at every single write, before or after it took effect; then the log is opened again. */
class CrashTest {
    private static final int BEFORE = 250;
    private static final int BATCH = 20;

    /** 250 entries in the tree, so that the next 20 cross the edge of a tile on two levels. */
    private static final MemoryStore PREPARED = new MemoryStore();

    @BeforeAll
    static void fillALog() throws AttestationException {
        LocalTileLog.open(PREPARED, unwitnessedSettings()).append(rawEntries(0, BEFORE));
    }

    private static MemoryStore prepared() {
        return PREPARED.afterPowerCut();
    }

    @ParameterizedTest
    @EnumSource(MemoryStore.Moment.class)
    void keepsWhatWasAcknowledgedAndTakesTheRestWhollyOrNotAtAll(MemoryStore.Moment moment) throws Exception {
        MemoryStore untouched = prepared();
        LocalTileLog.open(untouched, unwitnessedSettings()).append(rawEntries(BEFORE, BEFORE + BATCH));
        int writes = untouched.writes();
        assertTrue(writes > BATCH + 5, "one write a payload, then bundles, tiles, tree, checkpoint: " + writes);
        int kept = 0;
        for (int write = 1; write <= writes; write++) {
            MemoryStore store = prepared();
            LocalTileLog log = LocalTileLog.open(store, unwitnessedSettings());
            store.failAt(write, moment);
            assertRefused("planted", () -> log.append(rawEntries(BEFORE, BEFORE + BATCH)));

            MemoryStore disk = store.afterPowerCut();
            LocalTileLog reopened = LocalTileLog.open(disk, unwitnessedSettings());
            Checkpoint tree = Checkpoint.parse(
                    new String(disk.files.get(LocalTileLog.TREE), java.nio.charset.StandardCharsets.UTF_8)
                                    .split("\n\n", -1)[0]
                            + "\n");
            assertTrue(tree.size() == BEFORE || tree.size() == BEFORE + BATCH, "after write " + write + ": " + tree);
            kept += tree.size() == BEFORE ? 0 : 1;
            requireNothingBeyond(disk, tree.size());

            // Other entries follow; a discarded batch must leave nothing that could be taken for them.
            reopened.append(rawEntries(1000, 1003));
            LogReader reader = LogReader.open(disk, unwitnessed());
            assertEquals(tree.size() + 3, reader.size());
            List<Sha256> leaves = new ArrayList<>();
            rawEntries(0, (int) tree.size()).forEach(e -> leaves.add(MerkleTree.leafHash(e.leaf())));
            rawEntries(1000, 1003).forEach(e -> leaves.add(MerkleTree.leafHash(e.leaf())));
            assertEquals(
                    MerkleTree.root(leaves), reader.checkpoint().checkpoint().root());
            reader.receipt(reader.size() - 1).verify(unwitnessed());
        }
        int afterTree = moment == MemoryStore.Moment.AFTER_THE_WRITE ? 2 : 1;
        assertEquals(afterTree, kept, "only the last writes, tree and checkpoint, decide");
    }

    @Test
    void theSameLogGoesOnAfterTheDiskIsMended() throws Exception {
        MemoryStore store = prepared();
        LocalTileLog log = LocalTileLog.open(store, unwitnessedSettings());
        for (int write : new int[] {1, 8, 15, 3, 6}) {
            store.failAt(store.writes() + write, MemoryStore.Moment.AFTER_THE_WRITE);
            assertRefused("planted", () -> log.append(rawEntries(BEFORE, BEFORE + BATCH)));
        }
        store.failAt(Integer.MAX_VALUE, MemoryStore.Moment.BEFORE_THE_WRITE);
        List<LogReceipt> receipts = log.append(rawEntries(BEFORE, BEFORE + BATCH));
        assertEquals(BEFORE + BATCH, receipts.getLast().treeSize());
        assertEquals(BEFORE + BATCH - 1, receipts.getLast().index());
        LogReader reader = LogReader.open(store, unwitnessed());
        for (int i = 0; i < BATCH; i++) {
            assertArrayEquals(LogTestKit.rawEntry(BEFORE + i).leaf(), reader.leaf(BEFORE + i));
        }
    }

    @Test
    void anAcknowledgedPayloadIsOnDiskBeforeItsEntry() throws Exception {
        MemoryStore store = prepared();
        LocalTileLog log = LocalTileLog.open(store, unwitnessedSettings());
        store.failAt(BATCH + 1, MemoryStore.Moment.BEFORE_THE_WRITE);
        assertRefused("planted", () -> log.append(rawEntries(BEFORE, BEFORE + BATCH)));
        for (NewEntry entry : rawEntries(BEFORE, BEFORE + BATCH)) {
            assertTrue(store.files.containsKey(entry.payloadPath()), "payloads come first");
        }
        assertTrue(store.files.keySet().stream().noneMatch(p -> p.equals("tile/entries/000")));
    }

    private static void requireNothingBeyond(MemoryStore store, long size) {
        for (String path : store.files.keySet()) {
            TilePath.parse(path).ifPresent(tile -> {
                long items = tile.level() <= 0 ? size : size >>> (8 * tile.level());
                long end = tile.index() * TilePath.FULL + tile.width();
                assertTrue(end <= items, () -> path + " is beyond a tree of " + size);
            });
        }
    }
}
