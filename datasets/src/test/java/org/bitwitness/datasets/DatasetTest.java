package org.bitwitness.datasets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.record.RowSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetTest {
    @TempDir
    Path temp;

    @Test
    void documentsComeBackInOneOrderWhateverOrderTheyWereGivenIn() throws Exception {
        List<Document> documents = new ArrayList<>();
        for (String name : List.of("part-10", "\u00e9-part", "part-1", "part-2", "\uFF5Epart", "\uD83D\uDE00part")) {
            documents.add(Document.of(name, name.getBytes(UTF_8)));
        }
        long seed = 22;
        DatasetManifest first = DatasetBuilder.build(documents, DatasetOptions.named("d"), temp.resolve("a"));
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr-TR"));
            Collections.shuffle(documents, new Random(seed));
            DatasetManifest second = DatasetBuilder.build(documents, DatasetOptions.named("d"), temp.resolve("b"));
            assertEquals(first.root(), second.root(), "shuffled with seed " + seed);
        } finally {
            Locale.setDefault(before);
        }
        assertEquals(
                List.of("part-1", "part-10", "part-2", "\u00e9-part", "\uFF5Epart", "\uD83D\uDE00part"),
                first.shards().getFirst().documents().stream()
                        .map(DocumentEntry::name)
                        .toList());
        assertArrayEquals(
                Files.readAllBytes(temp.resolve("a/manifest.json")),
                Files.readAllBytes(temp.resolve("b/manifest.json")));
    }

    @Test
    void anOtherwiseOrderedManifestIsRefused() {
        List<DocumentEntry> swapped = List.of(entry("part-2", 0), entry("part-10", 2));
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> new DatasetManifest(
                        "d",
                        "",
                        ByteTokenizer.SPEC,
                        List.of(),
                        List.of(new ShardEntry(0, 4, Hashing.sha256("r"), swapped))));
        assertTrue(String.valueOf(e.getMessage()).contains("part-2 stands before part-10"), e.getMessage());
    }

    @Test
    void samplesRunOnAcrossShardsAndTargetsAreTheNextIds() throws Exception {
        DatasetOptions options = new DatasetOptions("d", "MIT", List.of(), 8);
        DatasetBuilder.build(
                List.of(doc("a", "0123456789"), doc("b", "abcdefg"), doc("c", "x")), options, temp.resolve("d"));
        try (Dataset dataset = Dataset.open(temp.resolve("d"))) {
            assertEquals(3, dataset.manifest().shards().size());
            assertEquals(2 + 1 + 0, dataset.sampleCount(4));
            assertArrayEquals(
                    new int[] {'4', '5', '6', '7'}, dataset.sample(4, 1).ids());
            assertArrayEquals(
                    new int[] {'5', '6', '7', '8'}, dataset.sample(4, 1).targets());
            assertArrayEquals(
                    new int[] {'a', 'b', 'c', 'd'}, dataset.sample(4, 2).ids());
            assertArrayEquals(
                    new int[] {'1', '2', '3', '4', '5', '6', '7', '8', '9', 256},
                    dataset.sample(10, 0).targets());
            assertThrows(DatasetException.class, () -> dataset.sample(4, 3));
        }
    }

    /** Rows that begin at any distance, with a target for every id or for the last one only. */
    @Test
    void rowsBeginAtTheirStrideAndEndInsideTheirShard() throws Exception {
        Path folder = temp.resolve("rows");
        DatasetBuilder.build(
                List.of(doc("a", "0123456789"), doc("b", "abcdefghij")), DatasetOptions.named("rows"), folder);
        try (Dataset dataset = Dataset.open(folder)) {
            assertEquals(22, dataset.manifest().tokenCount(), "ten bytes and an end, twice");
            // Rows of 9 ids and a label, a document each: 9 + 1 and the end.
            SampleForm labelled = new SampleForm(9, new RowSpec(11, RowSpec.Targets.LAST));
            assertEquals(2, dataset.manifest().sampleCount(labelled));
            Sample second = dataset.sample(labelled, 1);
            assertEquals("abcdefghi", new String(dataset.tokenizer().decode(second.ids()), UTF_8));
            int[] expected = new int[9];
            Arrays.fill(expected, Sample.NO_TARGET);
            expected[8] = 'j';
            assertArrayEquals(expected, second.targets());
            // Windows at every place: the last begins where ids and target just fit.
            SampleForm windows = new SampleForm(4, new RowSpec(1, RowSpec.Targets.EACH));
            assertEquals(18, dataset.manifest().sampleCount(windows));
            assertArrayEquals(
                    new int[] {'2', '3', '4', '5'}, dataset.sample(windows, 1).targets());
            assertEquals(17, dataset.place(windows, 17).firstToken());
            assertThrows(DatasetException.class, () -> dataset.sample(windows, 18));
            assertEquals(0, dataset.manifest().sampleCount(SampleForm.running(22)));
            assertEquals(1, dataset.manifest().sampleCount(SampleForm.running(21)));
            assertEquals(new SampleRange(1, 1), SampleRange.of(dataset.manifest(), "b", labelled));
            assertEquals(new SampleRange(11, 7), SampleRange.of(dataset.manifest(), "b", windows));
        }
    }

    @Test
    void anUntouchedDatasetVerifies() throws Exception {
        Path folder = small("d");
        try (Dataset dataset = Dataset.open(folder)) {
            dataset.verify();
            for (ShardEntry shard : dataset.manifest().shards()) {
                assertEquals(shard.tokenRoot(), dataset.rebuildTokenRoot(shard));
            }
        }
    }

    /** Every byte of every file, one bit each: nothing may pass. */
    @Test
    void oneFlippedBitAnywhereIsRefused() throws Exception {
        Path folder = small("d");
        long seed = 11;
        Random random = new Random(seed);
        List<Path> files;
        try (var list = Files.list(folder)) {
            files = list.sorted().toList();
        }
        assertEquals(5, files.size());
        for (Path file : files) {
            byte[] good = Files.readAllBytes(file);
            for (int at = 0; at < good.length; at += file.toString().endsWith("json") ? 7 : 1) {
                byte[] bad = good.clone();
                bad[at] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, bad);
                int position = at;
                DatasetException e = assertThrows(
                        DatasetException.class,
                        () -> verify(folder),
                        () -> "seed %d: %s byte %d passed".formatted(seed, file.getFileName(), position));
                assertTrue(e.blamesTheBytes());
            }
            Files.write(file, good);
        }
        verify(folder);
    }

    @Test
    void everyFieldOfTheManifestIsNeeded() throws Exception {
        Path folder = small("d");
        Path file = folder.resolve("manifest.json");
        String good = Files.readString(file);
        for (String field : List.of(
                "format",
                "version",
                "name",
                "licence",
                "root",
                "policy",
                "text",
                "json",
                "tokenizer",
                "kind",
                "digest",
                "vocab",
                "endOfText",
                "sources",
                "shards",
                "dtype",
                "tokens",
                "documents",
                "firstToken",
                "bytes",
                "sha256")) {
            String renamed = good.replaceFirst("\"" + field + "\":", "\"" + field + "X\":");
            assertNotEquals(good, renamed, field);
            Files.writeString(file, renamed);
            DatasetException e = assertThrows(DatasetException.class, () -> Dataset.open(folder), field);
            assertTrue(e.getMessage().contains("\"" + field), field + ": " + e.getMessage());
        }
        Files.writeString(file, good + "\n");
        assertTrue(assertThrows(DatasetException.class, () -> Dataset.open(folder))
                .getMessage()
                .contains("one spelling"));
        Files.writeString(file, good);
        verify(folder);
    }

    @Test
    void aFileThatNobodyListsIsNamed() throws Exception {
        Path folder = small("d");
        Files.writeString(folder.resolve("notes.txt"), "hello");
        assertTrue(assertThrows(DatasetException.class, () -> verify(folder))
                .getMessage()
                .contains("notes.txt"));
    }

    @Test
    void anExistingFolderTwoDocumentsOfOneNameAndNoDocumentsAreRefused() throws Exception {
        Path folder = small("d");
        DatasetException exists = assertThrows(DatasetException.class, () -> small("d"));
        assertFalse(exists.blamesTheBytes());
        assertTrue(exists.getMessage().contains("exists"), exists.getMessage());
        assertTrue(Files.exists(folder.resolve("manifest.json")));
        assertThrows(
                DatasetException.class,
                () -> DatasetBuilder.build(
                        List.of(doc("a", "x"), doc("a", "y")), DatasetOptions.named("d"), temp.resolve("e")));
        assertThrows(
                DatasetException.class,
                () -> DatasetBuilder.build(List.of(), DatasetOptions.named("d"), temp.resolve("e")));
        assertFalse(Files.exists(temp.resolve("e")));
    }

    @Test
    void documentNamesThatLeaveTheFolderAreRefused() {
        for (String name : List.of("../a", "/a", "a/../b", "", "a//b", "a\nb", "a\\b", "\uD800")) {
            assertThrows(IllegalArgumentException.class, () -> doc(name, "x"), name);
        }
        doc("a/b.txt", "x");
    }

    /** Value of a separate program in Python, written from the definition. */
    @Test
    void theRootIsFixedForEver() throws Exception {
        assertEquals(
                "98f9a145c2beba2f96d2ffd4c9219a5d76a934d6c291a28e41d77b9939f63d06",
                DatasetBuilder.build(
                                List.of(doc("a.txt", "hello\n"), doc("b.txt", "world\n")),
                                DatasetOptions.named("example"),
                                temp.resolve("d"))
                        .root()
                        .hex());
    }

    private static void verify(Path folder) throws DatasetException {
        try (Dataset dataset = Dataset.open(folder)) {
            dataset.verify();
        }
    }

    private Path small(String name) throws DatasetException {
        Path folder = temp.resolve(name);
        DatasetBuilder.build(
                List.of(doc("a", "0123456789"), doc("b", "abcdefg"), doc("c", "x")),
                new DatasetOptions("small", "MIT", List.of(new SourceFile("s", 3, Hashing.sha256("abc"))), 12),
                folder);
        return folder;
    }

    private static Document doc(String name, String text) {
        return Document.of(name, text.getBytes(UTF_8));
    }

    private static DocumentEntry entry(String name, long firstToken) {
        return new DocumentEntry(name, firstToken, 2, 1, Hashing.sha256("x"), java.util.Optional.empty());
    }
}
