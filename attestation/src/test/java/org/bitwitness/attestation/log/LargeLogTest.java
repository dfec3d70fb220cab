package org.bitwitness.attestation.log;

import static org.bitwitness.attestation.log.LogTestKit.unwitnessed;
import static org.bitwitness.attestation.log.LogTestKit.unwitnessedSettings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A long log: its size on disk is bounded here; how long restart and proofs take is printed, not asserted. */
class LargeLogTest {
    private static final int BATCH = 4096;
    private static final int LEAF_BYTES = 600;
    private static final byte[] PAYLOAD = "one for all".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    @Test
    void twentyThousandEntries() throws Exception {
        grow(20_000);
    }

    @Test
    @Tag("slow")
    void aMillionEntries() throws Exception {
        grow(1_000_000);
    }

    private void grow(int size) throws Exception {
        long started = System.nanoTime();
        try (LocalTileLog log = LocalTileLog.open(folder.resolve("log"), unwitnessedSettings())) {
            for (int first = 0; first < size; first += BATCH) {
                List<NewEntry> batch = new ArrayList<>();
                for (int i = first; i < Math.min(size, first + BATCH); i++) {
                    batch.add(new NewEntry(leaf(i), PAYLOAD));
                }
                log.append(batch);
            }
        }
        say("append", size, started);
        started = System.nanoTime();
        try (LocalTileLog again = LocalTileLog.open(folder.resolve("log"), unwitnessedSettings())) {
            assertEquals(size, again.published().orElseThrow().checkpoint().size());
        }
        say("restart", 1, started);
        LogReader reader = LogReader.open(FolderStore.existing(folder.resolve("log")), unwitnessed());
        Random random = new Random(1);
        started = System.nanoTime();
        int proofs = 200;
        for (int i = 0; i < proofs; i++) {
            long index = random.nextInt(size);
            LogReceipt receipt = reader.receipt(index);
            receipt.verify(unwitnessed());
            assertEquals(
                    new String(leaf((int) index), StandardCharsets.UTF_8),
                    new String(receipt.leaf(), StandardCharsets.UTF_8));
        }
        say("proof, made and verified", proofs, started);
        long bytes;
        try (Stream<Path> files = Files.walk(folder.resolve("log"))) {
            bytes = files.filter(Files::isRegularFile)
                    .mapToLong(f -> f.toFile().length())
                    .sum();
        }
        System.out.printf(Locale.ROOT, "%d entries of %d bytes: %d bytes on disk%n", size, LEAF_BYTES, bytes);
        long hashes = size * 32L + size * 32L / 200 + 100_000;
        assertTrue(
                bytes <= size * (LEAF_BYTES + 2L) + hashes, "tiles cost 32 bytes an entry and little more: " + bytes);
    }

    private static void say(String what, int count, long started) {
        double seconds = (System.nanoTime() - started) / 1e9;
        System.out.printf(Locale.ROOT, "%s: %.3f s, %.6f s each%n", what, seconds, seconds / count);
    }

    private static byte[] leaf(int number) {
        return String.format(Locale.ROOT, "%-" + LEAF_BYTES + "d", number).getBytes(StandardCharsets.UTF_8);
    }
}
