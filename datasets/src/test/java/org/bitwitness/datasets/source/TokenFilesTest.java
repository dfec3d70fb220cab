package org.bitwitness.datasets.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.TokenIds;
import org.bitwitness.datasets.TokenWidth;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenFilesTest {
    private static final TokenIds GPT2 = new TokenIds(50_257, 50_256);
    private static final TokenIds LARGE = new TokenIds(128_256, 128_001);

    @TempDir
    Path temp;

    @Test
    void aBareFileIsCutAtItsEndsOfTextAndKeepsTheOrderOfItsIds() throws Exception {
        DocumentSet set = TokenFiles.read(write(u16(5, 6, 50_256, 50_256, 7, 8)), GPT2.spec(), TokenWidth.U16);
        assertEquals(List.of("5 6", "", "7 8"), texts(set));
        assertEquals(1, set.emptyDocuments());
        DatasetBuilder.build(
                set.documents(), new DatasetOptions("ids", "", set.sources(), 100, GPT2), temp.resolve("data"));
        try (Dataset dataset = Dataset.open(temp.resolve("data"))) {
            dataset.verify();
            assertArrayEquals(
                    new int[] {5, 6, 50_256, 50_256, 7, 8}, dataset.sample(6, 0).ids());
        }
    }

    @Test
    void everyWidthOfLlmCIsHonoured() throws Exception {
        assertEquals(
                List.of("9 50000"),
                texts(TokenFiles.read(llmC(20240520, 2, u16(9, 50_000)), GPT2.spec(), TokenWidth.U32)));
        assertEquals(
                List.of("100000 65536"),
                texts(TokenFiles.read(llmC(20240801, 2, u32(100_000, 65_536)), LARGE.spec(), TokenWidth.U16)));
    }

    @Test
    void evaluationFilesAndWrongCountsAreRefusedByName() throws Exception {
        assertRefused(llmC(20240522, 1, u16(9)), GPT2, "is an evaluation file of llm.c");
        assertRefused(llmC(20240520, 3, u16(9, 8)), GPT2, "says 3 ids of 2 bytes, after it are 4 bytes");
        assertRefused(write(new byte[] {1, 2, 3}), GPT2, "should hold ids of 2 bytes, has 3 bytes");
        assertRefused(write(new byte[0]), GPT2, "has 0 bytes");
    }

    @Test
    void idsNeverWrapAndAMisreadWidthIsCaughtByTheVocabulary() throws Exception {
        Path wide = write(u32(65_535, 65_536, 100_000));
        assertEquals(List.of("65535 65536 100000"), texts(TokenFiles.read(wide, LARGE.spec(), TokenWidth.U32)));
        assertRefused(wide, GPT2, "id number 0, read as u16, is 65535, the vocabulary has 50257");
        Path narrow = write(u16(1, 2, 3, 4));
        DatasetException e =
                assertThrows(DatasetException.class, () -> TokenFiles.read(narrow, LARGE.spec(), TokenWidth.U32));
        assertTrue(e.getMessage().contains("id number 0, read as u32, is 131073"), e.getMessage());
    }

    private void assertRefused(Path file, TokenIds tokenizer, String message) {
        DatasetException e =
                assertThrows(DatasetException.class, () -> TokenFiles.read(file, tokenizer.spec(), TokenWidth.U16));
        assertTrue(e.getMessage().contains(message), e.getMessage());
        assertTrue(e.getMessage().startsWith("tokens.bin"), e.getMessage());
    }

    private static List<String> texts(DocumentSet set) {
        return set.documents().stream().map(d -> new String(d.text(), UTF_8)).toList();
    }

    private Path llmC(int magic, int count, byte[] ids) throws Exception {
        ByteBuffer out = ByteBuffer.allocate(1024 + ids.length).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(magic).putInt(1).putInt(count).position(1024).put(ids);
        return write(out.array());
    }

    private Path write(byte[] bytes) throws Exception {
        return Files.write(temp.resolve("tokens.bin"), bytes);
    }

    private static byte[] u16(int... ids) {
        ByteBuffer out = ByteBuffer.allocate(2 * ids.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int id : ids) {
            out.putShort((short) id);
        }
        return out.array();
    }

    private static byte[] u32(int... ids) {
        ByteBuffer out = ByteBuffer.allocate(4 * ids.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int id : ids) {
            out.putInt(id);
        }
        return out.array();
    }
}
