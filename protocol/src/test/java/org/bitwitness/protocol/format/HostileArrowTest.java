package org.bitwitness.protocol.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.store.FolderStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged Arrow files are refused in words; nothing else comes out of them, and nothing large is allocated. */
class HostileArrowTest {
    private static final RecordingPath STEPS = RecordingPaths.steps(0);
    private static final RecordingPath TRACES = RecordingPaths.traces(0);

    @TempDir
    Path folder;

    private FolderStore store;

    @BeforeEach
    void write() throws Exception {
        store = FolderStore.create(folder);
        SmallRecording.write(store);
    }

    @Test
    void refusesOrReadsAFileWithAnyDamage() throws Exception {
        long seed = Long.getLong("tests.seed", 20260202L);
        System.out.println("HostileArrowTest seed " + seed + " (set it with -Dtests.seed)");
        Random random = new Random(seed);
        for (RecordingPath path : new RecordingPath[] {STEPS, TRACES}) {
            byte[] whole = Files.readAllBytes(folder.resolve(path.text()));
            int refused = 0;
            for (int round = 0; round < 250; round++) {
                Files.write(folder.resolve(path.text()), damaged(whole, random));
                refused += isRefused(path) ? 1 : 0;
            }
            assertTrue(refused > 50, path + ": refused " + refused);
            Files.write(folder.resolve(path.text()), whole);
            assertTrue(!isRefused(path));
        }
    }

    @Test
    void refusesAFooterThatClaimsToBeHuge() throws Exception {
        Path file = folder.resolve(STEPS.text());
        byte[] bytes = Files.readAllBytes(file);
        int footer = bytes.length - 10;
        for (int lie : new int[] {Integer.MAX_VALUE, -1, 0, 1 << 24}) {
            byte[] changed = bytes.clone();
            for (int i = 0; i < 4; i++) {
                changed[footer + i] = (byte) (lie >>> (8 * i));
            }
            Files.write(file, changed);
            ProtocolException e = assertThrows(ProtocolException.class, () -> StepSegment.read(store, STEPS, 2));
            assertTrue(e.getMessage().contains("footer"), e.getMessage());
        }
    }

    @Test
    void refusesFilesThatAreTooShort() throws Exception {
        Path file = folder.resolve(STEPS.text());
        byte[] bytes = Files.readAllBytes(file);
        for (int size : new int[] {0, 1, 6, 10, 19, 64, bytes.length / 2, bytes.length - 1}) {
            Files.write(file, Arrays.copyOf(bytes, size));
            assertThrows(ProtocolException.class, () -> StepSegment.read(store, STEPS, 2), "size " + size);
        }
    }

    @Test
    void namesAColumnThatIsMissing() throws Exception {
        Path file = folder.resolve(STEPS.text());
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        Files.writeString(file, bytes.replace("rowsRoot", "rowsRoof"), StandardCharsets.ISO_8859_1);
        ProtocolException e = assertThrows(ProtocolException.class, () -> StepSegment.read(store, STEPS, 2));
        assertEquals(
                "steps/000000000000.arrow: column workers.worker.microBatches.microBatch.rowsRoot is missing",
                e.getMessage());
    }

    @Test
    void refusesMoreStepsThanASegmentHas() {
        ProtocolException e = assertThrows(ProtocolException.class, () -> StepSegment.read(store, STEPS, 1));
        assertTrue(e.getMessage().contains("from 1 to 1 steps"), e.getMessage());
    }

    private boolean isRefused(RecordingPath path) {
        try {
            if (path.equals(STEPS)) {
                StepSegment.read(store, path, 2);
            } else {
                TraceSegment.read(store, path);
            }
            return false;
        } catch (ProtocolException e) {
            assertTrue(e.blamesTheBytes(), e.getMessage());
            return true;
        }
    }

    private static byte[] damaged(byte[] whole, Random random) {
        byte[] bytes = whole.clone();
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            // Mostly in metadata at both ends, where offsets and lengths are.
            int at = random.nextBoolean()
                    ? random.nextInt(bytes.length)
                    : bytes.length - 1 - random.nextInt(bytes.length / 3);
            bytes[at] = (byte) (random.nextBoolean() ? bytes[at] ^ (1 << random.nextInt(8)) : random.nextInt(256));
        }
        return random.nextInt(8) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }
}
