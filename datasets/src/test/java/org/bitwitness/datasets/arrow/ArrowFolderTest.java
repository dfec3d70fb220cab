package org.bitwitness.datasets.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.source.DocumentSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ArrowFolderTest {
    private static final String FIRST = "data-00000-of-00002.arrow";
    private static final String SECOND = "data-00001-of-00002.arrow";
    private static final Schema SCHEMA = new Schema(
            List.of(Field.nullable("text", new ArrowType.Utf8()), Field.nullable("id", new ArrowType.Int(64, true))));

    @TempDir
    Path folder;

    /** Length of the file after each batch. */
    private long afterFirstBatch;

    @ParameterizedTest
    @EnumSource(
            value = CodecType.class,
            names = {"NO_COMPRESSION", "LZ4_FRAME", "ZSTD"})
    void readsTheFilesThatTheStateListsWhateverTheirCompression(CodecType codec) throws Exception {
        write(FIRST, codec, List.of("a", "", "é"), List.of("d"));
        write(SECOND, codec, List.of("", "", ""), List.of());
        state(FIRST, SECOND);
        Files.writeString(folder.resolve("data-00009-of-00002.arrow"), "not listed, so not read");
        assertTrue(ArrowFolder.is(folder));
        DocumentSet set = ArrowFolder.read(folder, "text", Set.of());
        assertEquals(
                List.of("a", "", "é", "d", "", "", ""),
                set.documents().stream().map(d -> new String(d.text(), UTF_8)).toList());
        assertEquals(4, set.emptyDocuments());
        assertEquals(2, set.sources().size());
        assertEquals(Optional.of("{\"id\":1}"), set.documents().get(1).metadata());
        assertEquals(SECOND + "#000000003", set.documents().getLast().name());
    }

    @Test
    void aStreamCutAnywhereEvenBetweenTwoBatchesIsRefused() throws Exception {
        write(FIRST, CodecType.NO_COMPRESSION, List.of("one", "two"), List.of("three"));
        byte[] whole = Files.readAllBytes(folder.resolve(FIRST));
        state(FIRST);
        assertEquals(3, ArrowFolder.read(folder, "text", Set.of()).documents().size());
        for (int bytes = 0; bytes < whole.length; bytes += 8) {
            assertCutRefused(whole, bytes);
        }
        assertCutRefused(whole, (int) afterFirstBatch);
        assertCutRefused(whole, whole.length - 1);
    }

    @Test
    void textThatIsNotUtf8AndAMissingFileAreNamed() throws Exception {
        write(FIRST, CodecType.NO_COMPRESSION, List.of("plain words"), List.of());
        state(FIRST, SECOND);
        assertRefused(SECOND + " is missing");
        byte[] bytes = Files.readAllBytes(folder.resolve(FIRST));
        int at = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("plain words");
        bytes[at + 2] = (byte) 0xFF;
        Files.write(folder.resolve(FIRST), bytes);
        state(FIRST);
        assertRefused("column \"text\" is not UTF-8");
        state("../" + FIRST);
        assertRefused("lists a file that is not in its folder");
    }

    private void assertCutRefused(byte[] whole, int bytes) throws Exception {
        Files.write(folder.resolve(FIRST), Arrays.copyOf(whole, bytes));
        assertRefused(FIRST + " cannot be read as an Arrow stream to its end");
    }

    private void assertRefused(String message) {
        DatasetException e = assertThrows(DatasetException.class, () -> ArrowFolder.read(folder, "text", Set.of()));
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    private void state(String... files) throws Exception {
        String list = String.join(
                ",",
                Arrays.stream(files).map(f -> "{\"filename\": \"" + f + "\"}").toList());
        Files.writeString(
                folder.resolve(ArrowFolder.STATE), "{\"_data_files\": [" + list + "], \"_fingerprint\": \"x\"}");
    }

    private void write(String name, CodecType codec, List<String> first, List<String> second) throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
                OutputStream out = Files.newOutputStream(folder.resolve(name));
                ArrowStreamWriter writer = new ArrowStreamWriter(
                        root,
                        null,
                        java.nio.channels.Channels.newChannel(out),
                        IpcOption.DEFAULT,
                        codec == CodecType.NO_COMPRESSION
                                ? NoCompressionCodec.Factory.INSTANCE
                                : CommonsCompressionFactory.INSTANCE,
                        codec,
                        Optional.empty())) {
            writer.start();
            batch(root, first);
            writer.writeBatch();
            afterFirstBatch = Files.size(folder.resolve(name));
            batch(root, second);
            writer.writeBatch();
            writer.end();
        }
    }

    private static void batch(VectorSchemaRoot root, List<String> texts) {
        root.clear();
        VarCharVector text = (VarCharVector) root.getVector("text");
        BigIntVector id = (BigIntVector) root.getVector("id");
        for (int i = 0; i < texts.size(); i++) {
            text.setSafe(i, texts.get(i).getBytes(UTF_8));
            id.setSafe(i, i);
        }
        root.setRowCount(texts.size());
    }
}
