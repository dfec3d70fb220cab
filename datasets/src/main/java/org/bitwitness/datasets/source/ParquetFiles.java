package org.bitwitness.datasets.source;

import dev.hardwood.InputFile;
import dev.hardwood.metadata.PhysicalType;
import dev.hardwood.reader.ColumnReader;
import dev.hardwood.reader.ColumnReaders;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.reader.Validity;
import dev.hardwood.schema.ColumnProjection;
import dev.hardwood.schema.ColumnSchema;
import dev.hardwood.schema.FileSchema;
import dev.hardwood.schema.SchemaNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.SourceFile;
import org.bitwitness.datasets.Utf8;
import org.bitwitness.protocol.Hashing;
import org.jspecify.annotations.Nullable;

/**
 * Parquet: every row is a document, named {@code file.parquet#000000001} by its place. Only the columns that are
 * kept are decoded, and these in batches of a few rows: a file of some kilobytes may hold gigabytes, because a dictionary
 * has each value once.
 */
public final class ParquetFiles {
    /** Rows that are decoded at a time; the library decodes two or three batches ahead. */
    private static final int BATCH_ROWS = 64;

    private static final int MAX_CAUSES = 16;

    private ParquetFiles() {}

    /**
     * Reads a file.
     *
     * @param field the column that holds the text
     * @param without columns to leave out
     * @throws DatasetException if the file is no whole Parquet file, or a column cannot be kept
     */
    public static DocumentSet read(Path file, String field, Set<String> without) throws DatasetException {
        return read(file, field, without, Rows.Room.ofThisJvm());
    }

    static DocumentSet read(Path file, String field, Set<String> without, Rows.Room room) throws DatasetException {
        String name = String.valueOf(file.getFileName());
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw DatasetException.bytes("%s is a link or no plain file: give the file itself", file);
            }
            SourceFile source = new SourceFile(name, Files.size(file), Hashing.file(file));
            return DocumentSet.of(
                    List.of(source), documents(file, columns -> columns(columns, name, without), field, room));
        } catch (IOException e) {
            throw damaged(name, e);
        }
    }

    /** Which columns of a file are read. */
    private interface Choice {
        List<Column> of(FileSchema schema) throws DatasetException;
    }

    private static List<Document> documents(Path file, Choice choice, String field, Rows.Room room)
            throws DatasetException, IOException {
        String name = String.valueOf(file.getFileName());
        List<Document> documents = new ArrayList<>();
        try (ParquetFileReader parquet = ParquetFileReader.open(InputFile.of(file))) {
            List<Column> columns = choice.of(parquet.getFileSchema());
            long expected = parquet.getFileMetaData().numRows();
            String[] names = columns.stream().map(Column::name).toArray(String[]::new);
            if (names.length == 0) {
                throw DatasetException.bytes("%s: every column is left out, none holds text", name);
            }
            try (ColumnReaders batches = parquet.buildColumnReaders(ColumnProjection.columns(names))
                    .batchSize(BATCH_ROWS)
                    .build()) {
                while (batches.nextBatch()) {
                    for (int r = 0; r < batches.getRecordCount(); r++) {
                        Map<String, @Nullable Object> row = new LinkedHashMap<>();
                        for (Column column : columns) {
                            row.put(column.name(), value(batches.getColumnReader(column.name()), column, r));
                        }
                        String document = String.format(Locale.ROOT, "%s#%09d", name, documents.size() + 1);
                        documents.add(room.take(Rows.document(document, row, field)));
                    }
                }
            }
            if (documents.size() != expected) {
                throw DatasetException.bytes(
                        "%s: should have %d rows by its footer, %d were found", name, expected, documents.size());
            }
            return documents;
        } catch (RuntimeException e) {
            if (outOfMemory(e)) {
                throw DatasetException.bytes(
                        "%s: the rows so far, and %d more when decoded, take more memory than this JVM has, %d bytes:"
                                + " give it more with BITWITNESS_JAVA_OPTS=-Xmx8g, or write the file with shorter texts",
                        name, BATCH_ROWS, Runtime.getRuntime().maxMemory());
            }
            // The library's own checks of a file it cannot trust.
            throw damaged(name, e);
        }
    }

    private static boolean outOfMemory(Throwable thrown) {
        Optional<Throwable> at = Optional.of(thrown);
        for (int depth = 0; at.isPresent() && depth < MAX_CAUSES; depth++) {
            if (at.get() instanceof OutOfMemoryError) {
                return true;
            }
            at = Optional.ofNullable(at.get().getCause());
        }
        return false;
    }

    private record Column(String name, PhysicalType type) {}

    private static List<Column> columns(FileSchema schema, String file, Set<String> without) throws DatasetException {
        List<Column> columns = new ArrayList<>();
        for (SchemaNode node : schema.getRootNode().children()) {
            if (without.contains(node.name())) {
                continue;
            }
            if (!(node instanceof SchemaNode.PrimitiveNode)) {
                throw DatasetException.bytes(
                        "%s: column \"%s\" is nested, which metadata does not keep: leave it out with --without %s",
                        file, node.name(), node.name());
            }
            ColumnSchema column = schema.getColumn(node.name());
            if (column.maxRepetitionLevel() > 0) {
                // Its values are not numbered as the rows are.
                throw DatasetException.bytes(
                        "%s: column \"%s\" is repeated, which metadata does not keep: leave it out with --without %s",
                        file, node.name(), node.name());
            }
            columns.add(new Column(node.name(), column.type()));
        }
        return columns;
    }

    private static @Nullable Object value(ColumnReader values, Column column, int row) throws DatasetException {
        Validity validity = values.getLeafValidity();
        if (validity.hasNulls() && validity.isNull(row)) {
            return null;
        }
        return switch (column.type()) {
            case BOOLEAN -> values.getBooleans()[row];
            case INT32 -> values.getInts()[row];
            case INT64 -> values.getLongs()[row];
            case FLOAT -> values.getFloats()[row];
            case DOUBLE -> values.getDoubles()[row];
            case BYTE_ARRAY -> {
                int[] offsets = values.getBinaryOffsets();
                byte[] text = Arrays.copyOfRange(values.getBinaryValues(), offsets[row], offsets[row + 1]);
                yield Utf8.strict(text, "column \"" + column.name() + '"');
            }
            case INT96, FIXED_LEN_BYTE_ARRAY -> values.getBinaries()[row];
        };
    }

    private static DatasetException damaged(String name, Exception e) {
        return new DatasetException(
                DatasetException.Kind.BYTES,
                "%s cannot be read as Parquet: %s: fetch it again".formatted(name, e.getMessage()),
                e);
    }
}
