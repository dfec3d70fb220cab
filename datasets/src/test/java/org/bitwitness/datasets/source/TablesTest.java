package org.bitwitness.datasets.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.datasets.DatasetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TablesTest {
    private static final Set<String> NESTED = Set.of("tags");

    @TempDir
    Path temp;

    @ParameterizedTest
    @ValueSource(strings = {"snappy.parquet", "zstd.parquet"})
    void everyRowOfAParquetFileIsADocumentWithItsOtherColumnsExact(String name) throws Exception {
        DocumentSet set = ParquetFiles.read(copy(name), "text", NESTED);
        assertEquals(300, set.documents().size());
        assertEquals(1, set.emptyDocuments());
        assertEquals(name + "#000000003", set.documents().get(2).name());
        assertEquals(
                "row 2 says the same words again and again, é",
                new String(set.documents().get(2).text(), UTF_8));
        assertEquals(
                Optional.of("{\"id\":-9007199254740993,\"kept\":true,\"score\":null}"),
                set.documents().getFirst().metadata());
        assertEquals(
                Optional.of("{\"id\":299,\"kept\":false,\"score\":299.5}"),
                set.documents().getLast().metadata());
    }

    @Test
    void aNestedColumnAndOneThatIsNoTextAreRefusedByName() throws Exception {
        Path file = copy("zstd.parquet");
        assertRefused(file, "text", Set.of(), "column \"tags\" is nested");
        assertRefused(file, "id", NESTED, "column \"id\" should hold text");
        assertRefused(file, "body", NESTED, "column \"body\" should hold text");
    }

    @Test
    void aParquetFileCutAnywhereIsRefusedAndNoRowIsLostSilently() throws Exception {
        byte[] whole = Files.readAllBytes(copy("snappy.parquet"));
        Path cut = temp.resolve("cut.parquet");
        for (int bytes = 0; bytes < whole.length; bytes += 97) {
            Files.write(cut, Arrays.copyOf(whole, bytes));
            assertRefused(cut, "text", NESTED, "cut.parquet cannot be read as Parquet");
        }
    }

    /** A list column of some kilobytes that decodes to over 2 GiB is never decoded: it is refused, or left out. */
    @Test
    void aNestedColumnThatWouldDecodePast2GiBIsRefusedOrLeftOutWithoutBeingDecoded() throws Exception {
        Path file = copy("wide-list.parquet");
        assertTrue(Files.size(file) < 10_000);
        assertRefused(file, "text", Set.of(), "column \"tags\" is nested");
        DocumentSet set = ParquetFiles.read(file, "text", NESTED);
        assertEquals(2200, set.documents().size());
        assertEquals("row 2199", new String(set.documents().getLast().text(), UTF_8));
    }

    /** The old way to write lists, without a group: its values are more or fewer than the rows. */
    @Test
    void aRepeatedColumnIsRefused() throws Exception {
        Path file = copy("snappy.parquet");
        byte[] bytes = Files.readAllBytes(file);
        // In the footer: repetition type 1 (optional), name "text".
        byte[] optional = {0x25, 0x02, 0x18, 0x04, 't', 'e', 'x', 't'};
        int at = 0;
        while (!Arrays.equals(bytes, at, at + optional.length, optional, 0, optional.length)) {
            at++;
        }
        bytes[at + 1] = 0x04;
        Files.write(file, bytes);
        assertRefused(file, "text", NESTED, "column \"text\" is repeated");
    }

    /** The same in a text column: it is decoded in batches, up to what fits, and refused by the row where it does not. */
    @Test
    void textsThatDecodeToMoreThanFitsAreRefusedByTheRow() throws Exception {
        Path file = copy("wide-text.parquet");
        assertTrue(Files.size(file) < 10_000);
        Rows.Room room = new Rows.Room(32L << 20);
        DatasetException e = assertThrows(DatasetException.class, () -> ParquetFiles.read(file, "text", NESTED, room));
        assertTrue(
                e.getMessage().startsWith("wide-text.parquet#000000032: the rows up to here decode to over 33554432"),
                e.getMessage());
    }

    @Test
    void whatMetadataCannotKeepExactlyIsRefused() {
        for (Object value : new Object[] {Double.NaN, Float.POSITIVE_INFINITY, new byte[3]}) {
            DatasetException e = assertThrows(
                    DatasetException.class, () -> Rows.document("d", Map.of("text", "t", "x", value), "text"));
            assertTrue(e.getMessage().contains("column \"x\" has"), e.getMessage());
        }
    }

    private void assertRefused(Path file, String field, Set<String> without, String message) {
        DatasetException e =
                assertThrows(DatasetException.class, () -> ParquetFiles.read(file, field, without), file::toString);
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    private Path copy(String name) throws Exception {
        Path file = temp.resolve(name);
        try (InputStream in = Objects.requireNonNull(TablesTest.class.getResourceAsStream(name))) {
            Files.copy(in, file);
        }
        return file;
    }
}
