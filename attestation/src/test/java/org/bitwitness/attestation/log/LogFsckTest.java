package org.bitwitness.attestation.log;

import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.log.LogTestKit.entry;
import static org.bitwitness.attestation.log.LogTestKit.twoWitnesses;
import static org.bitwitness.attestation.log.LogTestKit.witnessedSettings;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bitwitness.protocol.Hashing;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LogFsckTest {
    private static final MemoryStore WHOLE = new MemoryStore();

    @BeforeAll
    static void writeALog() throws Exception {
        LocalTileLog log = LocalTileLog.open(WHOLE, witnessedSettings());
        List<NewEntry> batch = new ArrayList<>();
        for (int i = 0; i < 270; i++) {
            batch.add(entry("entry " + i));
        }
        log.append(batch);
    }

    @Test
    void derivesAWholeLogAgain() throws Exception {
        LogFsck.Report report = LogFsck.check(WHOLE, twoWitnesses());
        assertEquals(report.checkpoint().checkpoint().root(), report.derivedRoot());
        assertEquals(List.of(), report.missingPayloads());
    }

    @Test
    void namesTheFirstFileThatDiffersWhicheverBitIsFlipped() throws Exception {
        Map<String, String> expected = Map.of(
                "tile/entries/000", "entry ",
                "tile/entries/001.p/14", "entry 2",
                "tile/0/000", "tile/0/000 holds",
                "tile/0/001.p/14", "tile/0/001.p/14 holds",
                "tile/1/000.p/1", "tile/1/000.p/1: hash 0");
        for (Map.Entry<String, String> file : expected.entrySet()) {
            MemoryStore damaged = WHOLE.withFlippedBit(file.getKey(), 25);
            assertRefused(file.getValue(), () -> LogFsck.check(damaged, twoWitnesses()));
            assertRefused("fetch the named files again", () -> LogFsck.check(damaged, twoWitnesses()));
        }
        assertRefused("the policy accepts", () -> LogFsck.check(WHOLE.withFlippedBit("checkpoint", 3), twoWitnesses()));
        LogFsck.check(WHOLE, twoWitnesses());
    }

    @Test
    void namesEveryFileThatIsMissingAndListsMissingPayloads() throws Exception {
        for (String path :
                List.of("tile/entries/000", "tile/0/000", "tile/0/001.p/14", "tile/1/000.p/1", "checkpoint")) {
            MemoryStore damaged = WHOLE.afterPowerCut();
            damaged.files.remove(path);
            assertRefused(
                    path.equals("checkpoint") ? "no checkpoint" : path, () -> LogFsck.check(damaged, twoWitnesses()));
        }
        MemoryStore without = WHOLE.afterPowerCut();
        without.files.remove(NewEntry.payloadPath(Hashing.sha256("entry 7")));
        without.files.remove(NewEntry.payloadPath(Hashing.sha256("entry 260")));
        assertEquals(List.of(7L, 260L), LogFsck.check(without, twoWitnesses()).missingPayloads());
    }

    @Test
    void refusesTilesThatAreCutOrGoOn() throws Exception {
        for (String path : List.of("tile/entries/001.p/14", "tile/0/000", "tile/0/001.p/14", "tile/1/000.p/1")) {
            byte[] whole = Objects.requireNonNull(WHOLE.files.get(path));
            for (int length :
                    new int[] {0, 1, whole.length - 32, whole.length - 1, whole.length + 1, whole.length + 32}) {
                MemoryStore cut = WHOLE.afterPowerCut();
                cut.files.put(path, Arrays.copyOf(whole, Math.max(0, length)));
                assertRefused(path, () -> LogFsck.check(cut, twoWitnesses()));
                assertRefused(path, () -> {
                    LogReader reader = LogReader.open(cut, twoWitnesses());
                    reader.leaf(3);
                    reader.receipt(265);
                });
            }
        }
    }

    @Test
    void findsAnEntryThatWasChangedTogetherWithItsTile() throws Exception {
        MemoryStore forged = WHOLE.afterPowerCut();
        MemoryStore other = new MemoryStore();
        List<NewEntry> batch = new ArrayList<>();
        for (int i = 0; i < 270; i++) {
            batch.add(entry(i == 265 ? "forged" : "entry " + i));
        }
        LocalTileLog.open(other, witnessedSettings()).append(batch);
        other.files.forEach((path, bytes) -> {
            if (!path.equals("checkpoint")) {
                forged.files.put(path, bytes);
            }
        });
        assertRefused("changed together", () -> LogFsck.check(forged, twoWitnesses()));
        assertRefused("this copy is damaged or is of another tree", () -> LogReader.open(forged, twoWitnesses()));
    }

    @Test
    void findsAPayloadThatWasExchanged() throws Exception {
        MemoryStore forged = WHOLE.afterPowerCut();
        forged.files.put(
                NewEntry.payloadPath(Hashing.sha256("entry 3")),
                "entry 4".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertRefused("entry 3", () -> LogFsck.check(forged, twoWitnesses()));
    }
}
