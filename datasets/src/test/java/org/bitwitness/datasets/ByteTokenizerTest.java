package org.bitwitness.datasets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;
import org.junit.jupiter.api.Test;

class ByteTokenizerTest {
    @Test
    void everyByteIsItsOwnIdAndADocumentEndsWith256() {
        assertArrayEquals(new int[] {97, 0xC3, 0xA9, 256}, ByteTokenizer.encode("aé".getBytes(UTF_8)));
        assertArrayEquals(new int[] {256}, ByteTokenizer.encode(new byte[0]));
        assertEquals("aé", new String(ByteTokenizer.decode(new int[] {97, 0xC3, 0xA9, 256}), UTF_8));
    }

    @Test
    void textThatSpellsTheEndOfTextIsBytes() {
        assertEquals(14, ByteTokenizer.encode("<|endoftext|>".getBytes(UTF_8)).length);
    }

    @Test
    void theTokenizerFileIsPinned() {
        assertEquals(
                "d33f3edeeed9fde48707d3122c2ecaafc0ff3dd8e92e700ea819b1ebc3239a35",
                Hashing.sha256(ByteTokenizer.tokenizerJson()).hex());
    }

    @Test
    void theTokenizerFileListsEveryByteOnce() throws Exception {
        Json.Obj file = StrictJson.object(ByteTokenizer.tokenizerJson(), "tokenizer.json");
        JsonFields model = JsonFields.of("tokenizer.json", file).object("model");
        Json.Obj vocab = (Json.Obj) model.any("vocab");
        assertEquals(256, vocab.members().size());
        assertEquals(new Json.Int(32), vocab.members().get("\u0120"), "space is written as U+0120, as GPT-2 does");
        assertEquals(new Json.Int(10), vocab.members().get("\u010A"));
        assertEquals(new Json.Int('"'), vocab.members().get("\""));
    }

    @Test
    void anotherTokenizerIsRefusedByItsDigest() {
        TokenizerSpec other = new TokenizerSpec("bytes", Hashing.sha256("other"), 257, 256);
        DatasetException e = assertThrows(DatasetException.class, () -> Tokenizers.of(other, Path.of("nowhere")));
        assertTrue(e.getMessage().contains(Hashing.sha256("other").hex()), e.getMessage());
    }
}
