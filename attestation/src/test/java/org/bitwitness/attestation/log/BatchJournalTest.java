package org.bitwitness.attestation.log;

import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.log.LogTestKit.rawEntries;
import static org.bitwitness.attestation.log.LogTestKit.unwitnessedSettings;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a power cut leaves of a folder whose files were never synced but through the journal. */
class BatchJournalTest {
    private static final long SEED = Long.getLong("test.seed", 20260101L);

    @TempDir
    Path folder;

    private Path cut = Path.of("");

    /** A log of three batches, copied while its writer still holds it: as a power cut finds it. */
    @BeforeEach
    void fillALogAndCutThePower() throws Exception {
        cut = folder.resolve("cut");
        try (LocalTileLog log = LocalTileLog.open(folder.resolve("log"), unwitnessedSettings())) {
            log.append(rawEntries(0, 250));
            log.append(rawEntries(250, 260));
            log.append(rawEntries(260, 600));
            copy(folder.resolve("log"), cut);
        }
    }

    @Test
    void bringsBackEveryFileThatThePowerCutTore() throws Exception {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (Path file : files(cut)) {
            String name = cut.relativize(file).toString();
            boolean synced = name.startsWith(BatchJournal.FOLDER) || name.equals("checkpoint");
            switch (synced ? 0 : random.nextInt(4)) {
                case 1 -> Files.delete(file);
                case 2 -> Files.write(file, new byte[0]);
                case 3 -> Files.write(file, new byte[(int) Files.size(file)]);
                default -> {}
            }
        }
        requireAll(600);
    }

    @Test
    void aJournalThatIsLostIsSeenAsDamage() throws Exception {
        Files.delete(cut.resolve("tile/entries/000"));
        Files.write(cut.resolve("tile/0/000"), new byte[0]);
        for (Path journal : files(cut.resolve(BatchJournal.FOLDER))) {
            Files.delete(journal);
        }
        assertThrows(AttestationException.class, () -> LocalTileLog.open(cut, unwitnessedSettings()));
    }

    @Test
    void aTornNewestBatchNeverWasAndATornOlderOneStopsTheLog() throws Exception {
        List<Path> journals = files(cut.resolve(BatchJournal.FOLDER));
        assertEquals(3, journals.size());
        Path torn = cut.resolve(BatchJournal.FOLDER).resolve("000000000004");
        Files.write(torn, new byte[] {0, 0, 0, 1, 0, 4});
        requireAll(600);
        copy(folder.resolve("log"), cut);
        Files.createDirectories(cut.resolve(BatchJournal.FOLDER));
        Files.write(cut.resolve(BatchJournal.FOLDER).resolve("000000000001"), new byte[100]);
        Files.write(cut.resolve(BatchJournal.FOLDER).resolve("000000000002"), new byte[100]);
        assertRefused("is damaged, and later batches rest on it", () -> LocalTileLog.open(cut, unwitnessedSettings()));
    }

    @Test
    void aClosedLogHasNoJournalAndGoesOn() throws Exception {
        assertEquals(List.of(), files(folder.resolve("log").resolve(BatchJournal.FOLDER)));
        requireAll(600);
        try (LocalTileLog log = LocalTileLog.open(cut, unwitnessedSettings())) {
            log.append(rawEntries(600, 601));
        }
        requireAll(601);
    }

    private void requireAll(int size) throws Exception {
        try (LocalTileLog log = LocalTileLog.open(cut, unwitnessedSettings())) {
            assertEquals(size, log.published().orElseThrow().checkpoint().size());
        }
        LogReader reader = LogReader.open(FolderStore.existing(cut), LogTestKit.unwitnessed());
        for (int i = 0; i < size; i++) {
            NewEntry entry = LogTestKit.rawEntry(i);
            assertArrayEquals(entry.leaf(), reader.leaf(i));
            assertTrue(Files.exists(cut.resolve(entry.payloadPath())), "payload " + i);
        }
    }

    private static List<Path> files(Path root) throws Exception {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void copy(Path from, Path to) throws Exception {
        for (Path file : files(from)) {
            Path target = to.resolve(from.relativize(file).toString());
            Files.createDirectories(java.util.Objects.requireNonNull(target.getParent()));
            Files.write(target, Files.readAllBytes(file));
        }
    }
}
