package org.bitwitness.datasets.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.DocumentEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourcesTest {
    private static final String LINES = "{\"text\":\"a\uFEFFb\",\"id\":1}\n{\"text\":\"c\",\"id\":2}\n";

    @TempDir
    Path temp;

    @Test
    void recordDigestsAreEqualAcrossByteOrderMarkAndLineEndsWhileFileDigestsDiffer() throws Exception {
        DocumentSet plain = lines("one", LINES);
        DocumentSet marked = lines("two", "\uFEFF" + LINES);
        DocumentSet crlf = lines("three", LINES.replace("\n", "\r\n"));
        assertEquals(plain.documents(), marked.documents());
        assertEquals(plain.documents(), crlf.documents());
        assertEquals(entries(plain, "p"), entries(marked, "m"));
        assertEquals(entries(plain, "p2"), entries(crlf, "c"));
        assertNotEquals(plain.sources(), marked.sources());
        assertNotEquals(plain.sources(), crlf.sources());
        assertEquals("a\uFEFFb", new String(plain.documents().getFirst().text(), UTF_8));
        DocumentSet changed = lines("four", LINES.replace("\uFEFF", ""));
        assertNotEquals(plain.documents(), changed.documents());
    }

    @Test
    void integersStayExactAndKeepTheirType() throws Exception {
        DocumentSet set = lines("numbers", """
                {"text":"a","n":-9007199254740993}
                {"text":"b","n":null}
                {"text":"c","n":9223372036854775807}
                {"text":"d","n":1.0}
                {"text":"e","n":1}
                """);
        assertEquals(
                List.of(
                        "{\"n\":-9007199254740993}",
                        "{\"n\":null}",
                        "{\"n\":9223372036854775807}",
                        "{\"n\":1.0}",
                        "{\"n\":1}"),
                set.documents().stream().map(d -> d.metadata().orElseThrow()).toList());
    }

    @Test
    void notANumberDuplicateKeysAndBrokenLinesAreRefusedWithTheLine() throws Exception {
        assertRefused("{\"text\":\"a\",\"n\":1}\n{\"text\":\"a\",\"n\":NaN}\n", "line 2");
        assertRefused("{\"text\":\"a\",\"n\":1,\"n\":2}\n", "line 1");
        assertRefused("{\"text\":\"a\"}\n{\"text\":\n", "line 2");
        assertRefused("{\"text\":\"a\"}\n\n{\"text\":\"b\"}\n", "line 2");
        assertRefused("{\"txt\":\"a\"}\n", "\"text\" is missing");
        assertRefused("{\"text\":1}\n", "should be a string");
    }

    @Test
    void aFolderOfTextFilesBecomesOneDocumentEach() throws Exception {
        Path folder = temp.resolve("texts");
        Files.createDirectories(folder.resolve("sub"));
        for (String name : List.of("part-2", "part-10", "sub/part-1", "empty")) {
            Files.writeString(folder.resolve(name), name.equals("empty") ? "" : "\uFEFF" + name + "\r\n");
        }
        DocumentSet set = TextFiles.read(folder);
        assertEquals(1, set.emptyDocuments());
        DatasetBuilder.build(
                set.documents(), new DatasetOptions("texts", "", set.sources(), 100), temp.resolve("dataset"));
        try (Dataset dataset = Dataset.open(temp.resolve("dataset"))) {
            dataset.verify();
            assertEquals(
                    List.of("empty", "part-10", "part-2", "sub/part-1"),
                    dataset.manifest().shards().getFirst().documents().stream()
                            .map(DocumentEntry::name)
                            .toList());
        }
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("part-2"));
        assertTrue(assertThrows(DatasetException.class, () -> TextFiles.read(folder))
                .getMessage()
                .contains("link"));
    }

    @Test
    void theDemoTextIsThePinnedJar() throws Exception {
        Path jar = Path.of("target", "corpus", DemoCorpus.JAR).toAbsolutePath();
        DocumentSet set = DemoCorpus.read(jar);
        assertEquals(1, set.sources().size());
        assertTrue(set.documents().size() > 200, set.documents().size() + " documents");
        Path copy = temp.resolve(DemoCorpus.JAR);
        byte[] bytes = Files.readAllBytes(jar);
        bytes[bytes.length / 2] ^= 1;
        Files.write(copy, bytes);
        assertTrue(assertThrows(DatasetException.class, () -> DemoCorpus.read(copy))
                .getMessage()
                .contains(DemoCorpus.JAR_SHA256.hex()));
        Files.delete(copy);
        DatasetException missing = assertThrows(DatasetException.class, () -> DemoCorpus.read(copy));
        assertTrue(missing.getMessage().contains("is missing"), missing.getMessage());
    }

    private DocumentSet lines(String folder, String content) throws Exception {
        Path file = temp.resolve(folder).resolve("data.jsonl");
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        return JsonLines.read(file, "text");
    }

    private List<DocumentEntry> entries(DocumentSet set, String name) throws DatasetException {
        List<Document> documents = set.documents();
        return DatasetBuilder.build(documents, DatasetOptions.named("lines"), temp.resolve(name)).shards().stream()
                .flatMap(s -> s.documents().stream())
                .toList();
    }

    private void assertRefused(String content, String part) {
        DatasetException e = assertThrows(DatasetException.class, () -> lines("bad", content));
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }
}
