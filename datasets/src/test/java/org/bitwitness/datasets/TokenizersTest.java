package org.bitwitness.datasets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** GPT-2's encoding as a tokenizer.json, compared with jtokkit, which shares only the ranks with it; and token ids. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokenizersTest {
    private static final Encoding PEER = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.R50K_BASE);

    @TempDir
    Path temp;

    private JsonTokenizer gpt2;

    @BeforeAll
    void load() throws Exception {
        gpt2 = Gpt2Bpe.tokenizer();
    }

    @AfterAll
    void close() {
        gpt2.close();
    }

    @Test
    void gpt2GivesTheIdsOfAnotherImplementation() throws Exception {
        long seed = 20261130;
        Random random = new Random(seed);
        String alphabet = "abcdefghijklmnop   \n\n\t'sré—日本語🎉0123456789.,;<|endoftext|>ABC\u00a0\u3000";
        int[] characters = alphabet.codePoints().toArray();
        for (int i = 0; i < 300; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(60); n >= 0; n--) {
                text.appendCodePoint(characters[random.nextInt(characters.length)]);
            }
            int[] expected = PEER.encodeOrdinary(text.toString()).toArray();
            int[] found = gpt2.encode(text.toString().getBytes(UTF_8));
            assertArrayEquals(expected, Arrays.copyOf(found, found.length - 1), "seed " + seed + ": " + text);
            assertEquals(50_256, found[found.length - 1]);
            assertEquals(text.toString(), new String(gpt2.decode(found), UTF_8));
        }
    }

    @Test
    void aLongTextIsNotCutOff() throws Exception {
        String text = "one two three ".repeat(20_000);
        assertEquals(PEER.countTokensOrdinary(text) + 1, gpt2.encode(text.getBytes(UTF_8)).length);
    }

    @Test
    void textThatSpellsTheEndOfTextNeverGivesItsId() throws Exception {
        int[] ids = gpt2.encode("a<|endoftext|>b".getBytes(UTF_8));
        assertEquals(1, Arrays.stream(ids).filter(id -> id == 50_256).count());
        assertEquals(50_256, ids[ids.length - 1]);
    }

    @Test
    void aDatasetKeepsItsTokenizerAndNamesTheDocumentWhoseIdsAnotherOneChanges() throws Exception {
        Path folder = temp.resolve("data");
        List<Document> documents = List.of(
                Document.of("a", "hello world".getBytes(UTF_8)), Document.of("b", "the lower tower".getBytes(UTF_8)));
        DatasetBuilder.build(documents, new DatasetOptions("small", "MIT", List.of(), 100, gpt2), folder);
        try (Dataset dataset = Dataset.open(folder)) {
            dataset.verify();
            assertEquals(JsonTokenizer.KIND, dataset.manifest().tokenizer().kind());
            assertEquals(50_257, dataset.manifest().tokenizer().vocab());
            assertTrue(dataset.files().contains(Tokenizer.FILE));
        }
        // The same words with one merge less: another tokenizer, under the digest it should have.
        String other = new String(Gpt2Bpe.tokenizerJson(), UTF_8)
                .replace(",\"Ġt ower\"", "")
                .replace(",\"Ġt he\"", "");
        byte[] changed = other.replace("\"h e\",", "").getBytes(UTF_8);
        assertFalse(Arrays.equals(changed, Gpt2Bpe.tokenizerJson()));
        Files.write(folder.resolve(Tokenizer.FILE), changed);
        DatasetException e = assertThrows(DatasetException.class, () -> Dataset.open(folder));
        assertTrue(e.getMessage().contains("tokenizer.json should have SHA-256"), e.getMessage());
        Path renamed = temp.resolve("renamed");
        try (JsonTokenizer tokenizer = JsonTokenizer.of(changed, Optional.empty())) {
            DatasetManifest right =
                    DatasetBuilder.build(documents, new DatasetOptions("x", "", List.of(), 100, gpt2), renamed);
            DatasetManifest lie = new DatasetManifest(
                    right.name(), right.licence(), tokenizer.spec(), right.sources(), right.shards());
            Files.write(renamed.resolve(DatasetManifest.FILE), ManifestJson.write(lie));
            Files.write(renamed.resolve(Tokenizer.FILE), changed);
        }
        try (Dataset dataset = Dataset.open(renamed)) {
            DatasetException named = assertThrows(DatasetException.class, dataset::verify);
            assertTrue(named.getMessage().contains("shard-00000: document a should have"), named.getMessage());
        }
    }

    @Test
    void aFileThatIsNoTokenizerOrHasNoEndIsRefused() {
        assertRefused("{}", "model");
        assertRefused("{\"model\":{\"vocab\":{}}}", "no vocabulary");
        assertRefused("{\"model\":{\"vocab\":{\"a\":0}}}", "no token");
        assertRefused("{\"model\":{\"vocab\":{\"</s>\":-1}}}", "an id that is no number");
        assertRefused("{\"model\":{\"type\":\"None\",\"vocab\":{\"</s>\":0}}}", "cannot load");
    }

    @Test
    void tokenIdsAreTheirOwnText() throws Exception {
        TokenIds ids = new TokenIds(70_000, 0);
        byte[] text = TokenIds.text(new int[] {65_535, 65_536, 7}, 0, 3);
        assertEquals("65535 65536 7", new String(text, UTF_8));
        assertArrayEquals(new int[] {65_535, 65_536, 7, 0}, ids.encode(text));
        assertArrayEquals(new int[] {0}, ids.encode(new byte[0]));
        for (String bad : List.of("70000", "0", "01", "1  2", "1 ", " 1", "-1", "9999999999", "1a")) {
            assertThrows(DatasetException.class, () -> ids.encode(bad.getBytes(UTF_8)), bad);
        }
        assertFalse(new TokenIds(70_000, 1).spec().digest().equals(ids.spec().digest()));
    }

    private static void assertRefused(String file, String message) {
        DatasetException e =
                assertThrows(DatasetException.class, () -> JsonTokenizer.of(file.getBytes(UTF_8), Optional.empty()));
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }
}
