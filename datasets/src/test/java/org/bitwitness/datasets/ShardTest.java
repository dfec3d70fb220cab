package org.bitwitness.datasets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardTest {
    @TempDir
    Path folder;

    @Test
    void idsAbove16BitsAreKeptWhereTheVocabularyNeedsThem() throws Exception {
        int[] ids = {65_535, 65_536, 100_000, 0};
        ShardEntry entry = write(ids, 100_001);
        try (ShardReader reader = ShardReader.open(folder, entry, 100_001)) {
            assertArrayEquals(ids, reader.read(0, 4));
        }
        assertEquals(32 + 4 * 4, Files.size(folder.resolve(entry.tokensFile())));
    }

    @Test
    void anIdThatWouldWrapIsRefusedWhenWritten() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> write(new int[] {65_535, 65_536}, 65_536));
        assertTrue(String.valueOf(e.getMessage()).contains("65536"), e.getMessage());
    }

    /** A file of 16-bit ids whose header is made to say 32-bit ids. */
    @Test
    void a16BitFileOpenedAs32BitIsRefused() throws Exception {
        ShardEntry entry = write(new int[] {1, 2, 3, 4}, 257);
        Path file = folder.resolve(entry.tokensFile());
        byte[] bytes = Files.readAllBytes(file);
        bytes[12] = 4;
        Files.write(file, bytes);
        assertRefused(entry, 257, "vocabulary of 257");
        bytes[16] = 2;
        bytes[24] = 1;
        bytes[25] = 0;
        bytes[26] = 1;
        Files.write(file, bytes);
        assertRefused(entry, 257, "should have 4 ids of a vocabulary of 257");
    }

    @Test
    void anIdAtOrAboveTheVocabularyIsRefusedWhenRead() throws Exception {
        ShardEntry entry = write(new int[] {1, 299}, 300);
        Path file = folder.resolve(entry.tokensFile());
        byte[] bytes = Files.readAllBytes(file);
        bytes[24] = 43;
        bytes[25] = 1;
        Files.write(file, bytes);
        try (ShardReader reader = ShardReader.open(folder, entry, 299)) {
            DatasetException e = assertThrows(DatasetException.class, () -> reader.read(0, 2));
            assertTrue(e.getMessage().contains("id 1 is 299"), e.getMessage());
        }
    }

    @Test
    void aWrongCountAForeignFileAndAChangedIdAreNamed() throws Exception {
        ShardEntry entry = write(new int[] {1, 2, 3, 4}, 257);
        Path file = folder.resolve(entry.tokensFile());
        byte[] good = Files.readAllBytes(file);
        byte[] wrongCount = good.clone();
        wrongCount[16] = 5;
        Files.write(file, wrongCount);
        assertRefused(entry, 257, "says 5 ids of 2 bytes, but has 8 bytes");
        byte[] hugeCount = good.clone();
        hugeCount[23] = 0x7F;
        Files.write(file, hugeCount);
        assertRefused(entry, 257, "but has 8 bytes");
        byte[] foreign = good.clone();
        foreign[0] = 0;
        Files.write(file, foreign);
        assertRefused(entry, 257, "BWTOKENS");
        byte[] newer = good.clone();
        newer[8] = 2;
        Files.write(file, newer);
        assertRefused(entry, 257, "version 2");
        byte[] flipped = good.clone();
        flipped[33] ^= 1;
        Files.write(file, flipped);
        assertRefused(entry, 257, "token root");
        Files.write(file, new byte[3]);
        assertRefused(entry, 257, "BWTOKENS");
        Files.delete(file);
        assertRefused(entry, 257, "missing");
        Files.write(file, good);
        ShardReader.open(folder, entry, 257).close();
    }

    @Test
    void theRootOfAFileIsTheRootOfItsIds() throws Exception {
        int[] ids = new int[20_000];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = i % 257;
        }
        IdTree whole = new IdTree(257);
        whole.add(ids);
        assertEquals(whole.root(), write(ids, 257).tokenRoot());
    }

    private ShardEntry write(int[] ids, int vocab) throws Exception {
        try (ShardWriter writer = new ShardWriter(folder.resolve("shard-00000.tokens"), vocab)) {
            writer.write(ids);
            Sha256 root = writer.finish();
            return new ShardEntry(
                    0,
                    ids.length,
                    root,
                    List.of(new DocumentEntry("d", 0, ids.length, 1, Hashing.sha256("x"), Optional.empty())));
        }
    }

    private void assertRefused(ShardEntry entry, int vocab, String part) {
        DatasetException e = assertThrows(DatasetException.class, () -> ShardReader.open(folder, entry, vocab));
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }
}
