package org.bitwitness.datasets.arrow;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.SourceFile;
import org.bitwitness.datasets.Utf8;
import org.bitwitness.datasets.source.DocumentSet;
import org.bitwitness.datasets.source.Rows;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;
import org.jspecify.annotations.Nullable;

/**
 * A folder that {@code datasets.Dataset.save_to_disk} wrote: {@code state.json} names the Arrow stream files in order.
 * Every row is a document, named {@code file.arrow#000000001} by its place. Buffers may be compressed (LZ4, Zstandard).
 */
public final class ArrowFolder {
    /** Lists the files of a folder. */
    public static final String STATE = "state.json";

    private static final int MAX_STATE_BYTES = 1 << 24;
    private static final int MAX_FILES = 100_000;
    private static final long MAX_BATCH_BYTES = 1L << 30;

    private ArrowFolder() {}

    /** True for a folder that has the list of its files. */
    public static boolean is(Path folder) {
        return Files.isRegularFile(folder.resolve(STATE), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Reads a folder.
     *
     * @param field the column that holds the text
     * @param without columns to leave out
     * @throws DatasetException if a file is missing, cut off, or has a column that cannot be kept
     */
    public static DocumentSet read(Path folder, String field, Set<String> without) throws DatasetException {
        List<DocumentSet> sets = new ArrayList<>();
        for (String name : files(folder)) {
            sets.add(readFile(folder.resolve(name), field, without));
        }
        return sets.stream()
                .reduce(DocumentSet::and)
                .orElseThrow(() -> new DatasetException(
                        DatasetException.Kind.BYTES, folder + ": " + STATE + " lists no data file"));
    }

    /** Reads one Arrow stream file. */
    public static DocumentSet readFile(Path file, String field, Set<String> without) throws DatasetException {
        String name = String.valueOf(file.getFileName());
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw DatasetException.bytes("%s is missing, or is not a plain file", file);
        }
        Taken taken = new Taken(new ArrayList<>(), Rows.Room.ofThisJvm());
        try (BufferAllocator allocator = new RootAllocator(MAX_BATCH_BYTES);
                InputStream in = new BufferedInputStream(new EndWatch(Files.newInputStream(file)));
                ArrowStreamReader reader = new ArrowStreamReader(in, allocator, CommonsCompressionFactory.INSTANCE)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            while (reader.loadNextBatch()) {
                rows(root, name, field, without, taken);
            }
            return DocumentSet.of(
                    List.of(new SourceFile(name, Files.size(file), Hashing.file(file))), taken.documents());
        } catch (IOException | OutOfMemoryException | IllegalArgumentException | IllegalStateException e) {
            throw damaged(name, e);
        } catch (IndexOutOfBoundsException | NullPointerException | UnsupportedOperationException e) {
            // What the library does with offsets and buffers that do not fit each other.
            throw damaged(name, e);
        }
    }

    private record Taken(List<Document> documents, Rows.Room room) {}

    private static DatasetException damaged(String name, Exception e) {
        return new DatasetException(
                DatasetException.Kind.BYTES,
                "%s cannot be read as an Arrow stream to its end: %s: fetch it again".formatted(name, e.getMessage()),
                e);
    }

    private static void rows(VectorSchemaRoot root, String name, String field, Set<String> without, Taken taken)
            throws DatasetException {
        List<Document> documents = taken.documents();
        for (int row = 0; row < root.getRowCount(); row++) {
            Map<String, @Nullable Object> columns = new LinkedHashMap<>();
            for (FieldVector vector : root.getFieldVectors()) {
                if (!without.contains(vector.getName())) {
                    columns.put(vector.getName(), value(vector, row));
                }
            }
            String document = String.format(Locale.ROOT, "%s#%09d", name, documents.size() + 1);
            documents.add(taken.room().take(Rows.document(document, columns, field)));
        }
    }

    private static @Nullable Object value(FieldVector vector, int row) throws DatasetException {
        if (vector.isNull(row)) {
            return null;
        }
        return switch (vector) {
            case VarCharVector text -> Utf8.strict(text.get(row), "column \"" + vector.getName() + '"');
            case LargeVarCharVector text -> Utf8.strict(text.get(row), "column \"" + vector.getName() + '"');
            default -> vector.getObject(row);
        };
    }

    private static List<String> files(Path folder) throws DatasetException {
        Path state = folder.resolve(STATE);
        try {
            if (Files.size(state) > MAX_STATE_BYTES) {
                throw DatasetException.bytes("%s has over %d bytes", state, MAX_STATE_BYTES);
            }
            List<String> names = new ArrayList<>();
            JsonFields fields =
                    JsonFields.of(state.toString(), StrictJson.object(Files.readAllBytes(state), state.toString()));
            for (JsonFields file : fields.objects("_data_files", MAX_FILES)) {
                String name = file.text("filename");
                if (Document.nameProblem(name).isPresent() || name.contains("/")) {
                    throw DatasetException.bytes("%s lists a file that is not in its folder", state);
                }
                names.add(name);
            }
            return names;
        } catch (IOException e) {
            throw damaged(STATE, e);
        } catch (ProtocolException e) {
            throw DatasetException.of(e);
        }
    }
}
