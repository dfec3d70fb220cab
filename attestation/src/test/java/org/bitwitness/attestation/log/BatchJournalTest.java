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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SequencedMap;
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

    /** More than one tile. */
    private static final int ALL = 270;

    private static final int[] SIZES = {0, 120, 130, ALL};
    private static final String FIRST_FILE = "000000000001";

    private Path cut = Path.of("");

    /** Bytes of the journal when the log had each of {@link #SIZES} entries, published. */
    private final int[] journalBytes = new int[SIZES.length];

    /** A log of three batches, copied while its writer still holds it: as a power cut finds it. */
    @BeforeEach
    void fillALogAndCutThePower() throws Exception {
        cut = folder.resolve("cut");
        Path log = folder.resolve("log");
        try (LocalTileLog writer = LocalTileLog.open(log, unwitnessedSettings())) {
            for (int i = 1; i < SIZES.length; i++) {
                writer.append(rawEntries(SIZES[i - 1], SIZES[i]));
                journalBytes[i] =
                        (int) Files.size(log.resolve(BatchJournal.FOLDER).resolve(FIRST_FILE));
            }
            copy(log, cut);
        }
    }

    @Test
    void bringsBackEveryFileThatThePowerCutTore() throws Exception {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        for (Path file : files(cut)) {
            String name = cut.relativize(file).toString();
            switch (name.startsWith(BatchJournal.FOLDER) ? 0 : random.nextInt(4)) {
                case 1 -> Files.delete(file);
                case 2 -> Files.write(file, new byte[0]);
                case 3 -> Files.write(file, new byte[(int) Files.size(file)]);
                default -> {}
            }
        }
        requireAll(ALL);
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
    void aJournalThatEndsAnywhereGivesTheBatchesThatAreWhole() throws Exception {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        byte[] whole = Files.readAllBytes(cut.resolve(BatchJournal.FOLDER).resolve(FIRST_FILE));
        List<Integer> ends = new ArrayList<>();
        for (int bytes : journalBytes) {
            ends.addAll(List.of(bytes, Math.max(0, bytes - 1)));
        }
        random.ints(3, 0, whole.length).forEach(ends::add);
        for (int end : ends) {
            int batches = 0;
            while (batches + 1 < SIZES.length && journalBytes[batches + 1] <= end) {
                batches++;
            }
            keepOnlyJournal(Map.of(FIRST_FILE, Arrays.copyOf(whole, end)));
            int size;
            try (LocalTileLog log = LocalTileLog.open(cut, unwitnessedSettings())) {
                assertEquals(SIZES[batches], publishedSize(log), "journal cut to " + end + " bytes");
                log.append(rawEntries(SIZES[batches], SIZES[batches] + 1));
                size = (int) publishedSize(log);
            }
            assertTrue(size == SIZES[batches] + 1 || size == SIZES[batches + 1], "size " + size);
            requireAll(size);
        }
    }

    @Test
    void batchesMayBeSpreadOverSeveralFiles() throws Exception {
        byte[] whole = Files.readAllBytes(cut.resolve(BatchJournal.FOLDER).resolve(FIRST_FILE));
        Map<String, byte[]> files = new HashMap<>();
        for (int i = 1; i < SIZES.length; i++) {
            files.put("00000000000" + (i + 3), Arrays.copyOfRange(whole, journalBytes[i - 1], journalBytes[i]));
        }
        keepOnlyJournal(files);
        requireAll(ALL);
    }

    @Test
    void aBatchThatIsNotWholeStopsTheLogWhereLaterOnesRestOnIt() throws Exception {
        byte[] whole = Files.readAllBytes(cut.resolve(BatchJournal.FOLDER).resolve(FIRST_FILE));
        byte[] flipped = whole.clone();
        flipped[journalBytes[1] + 100] ^= 1;
        keepOnlyJournal(Map.of(FIRST_FILE, flipped));
        assertRefused("is damaged at byte", () -> LocalTileLog.open(cut, unwitnessedSettings()));
        keepOnlyJournal(Map.of(
                FIRST_FILE,
                Arrays.copyOf(whole, journalBytes[1] - 1),
                "000000000002",
                Arrays.copyOfRange(whole, journalBytes[1], whole.length)));
        assertRefused("and later batches rest on it", () -> LocalTileLog.open(cut, unwitnessedSettings()));
        keepOnlyJournal(Map.of(FIRST_FILE, whole));
        requireAll(ALL);
    }

    @Test
    void everyFileThatNoJournalHoldsAnyMoreIsInItsPlace() throws Exception {
        Path small = folder.resolve("small");
        FolderStore store = FolderStore.writable(small, 4000);
        LocalTileLog log = LocalTileLog.open(store, unwitnessedSettings());
        for (int i = 0; i < ALL / 10; i++) {
            log.append(rawEntries(i * 10, i * 10 + 10));
        }
        store.awaitSettling();
        List<Path> journals = files(small.resolve(BatchJournal.FOLDER));
        assertTrue(
                !journals.isEmpty() && !journals.getFirst().endsWith(FIRST_FILE),
                "files were dropped, not all: " + journals);
        keepOnlyJournal(Map.of());
        copy(small, cut);
        BatchJournal journal = new BatchJournal(cut);
        for (SequencedMap<String, byte[]> batch : journal.read()) {
            for (String path : batch.keySet()) {
                write(path, new byte[0]);
            }
        }
        requireAll(ALL);
    }

    @Test
    void keepsTheJournalWhereAFileCannotBeSynced() throws Exception {
        Path small = folder.resolve("small");
        FolderStore store = FolderStore.writable(small, 1 << 20);
        LocalTileLog log = LocalTileLog.open(store, unwitnessedSettings());
        log.append(rawEntries(0, 10));
        Path payload = small.resolve(LogTestKit.rawEntry(3).payloadPath());
        Files.delete(payload);
        Files.createDirectory(payload);
        assertThrows(java.io.IOException.class, store::settle);
        assertEquals(1, files(small.resolve(BatchJournal.FOLDER)).size());
        Files.delete(payload);
        log.append(rawEntries(10, ALL));
        keepOnlyJournal(Map.of());
        copy(small, cut);
        requireAll(ALL);
    }

    /** What is left when nothing reached its place. */
    private void keepOnlyJournal(Map<String, byte[]> journals) throws Exception {
        for (Path file : files(cut)) {
            Files.delete(file);
        }
        for (Map.Entry<String, byte[]> journal : journals.entrySet()) {
            write(BatchJournal.FOLDER + "/" + journal.getKey(), journal.getValue());
        }
    }

    private void write(String path, byte[] bytes) throws Exception {
        Path target = cut.resolve(path);
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        Files.write(target, bytes);
    }

    private static long publishedSize(LocalTileLog log) {
        return log.published().map(p -> p.checkpoint().size()).orElse(0L);
    }

    @Test
    void aClosedLogHasNoJournalAndGoesOn() throws Exception {
        assertEquals(List.of(), files(folder.resolve("log").resolve(BatchJournal.FOLDER)));
        requireAll(ALL);
        try (LocalTileLog log = LocalTileLog.open(cut, unwitnessedSettings())) {
            log.append(rawEntries(ALL, ALL + 1));
        }
        requireAll(ALL + 1);
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
            Files.createDirectories(Objects.requireNonNull(target.getParent()));
            Files.write(target, Files.readAllBytes(file));
        }
    }
}
