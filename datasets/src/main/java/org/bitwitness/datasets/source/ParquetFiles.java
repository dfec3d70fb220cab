package org.bitwitness.datasets.source;

import dev.hardwood.InputFile;
import dev.hardwood.metadata.PhysicalType;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.reader.RowReader;
import dev.hardwood.schema.ColumnSchema;
import dev.hardwood.schema.FileSchema;
import dev.hardwood.schema.SchemaNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.SourceFile;
import org.bitwitness.datasets.Utf8;
import org.bitwitness.protocol.Hashing;
import org.jspecify.annotations.Nullable;

/** Parquet: every row is a document, named {@code file.parquet#000000001} by its place. Read row by row. */
public final class ParquetFiles {
    private ParquetFiles() {}

    /**
     * Reads a file.
     *
     * @param field the column that holds the text
     * @param without columns to leave out
     * @throws DatasetException if the file is no whole Parquet file, or a column cannot be kept
     */
    public static DocumentSet read(Path file, String field, Set<String> without) throws DatasetException {
        String name = String.valueOf(file.getFileName());
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw DatasetException.bytes("%s is a link or no plain file: give the file itself", file);
            }
            SourceFile source = new SourceFile(name, Files.size(file), Hashing.file(file));
            return DocumentSet.of(List.of(source), documents(file, name, field, without));
        } catch (IOException e) {
            throw damaged(name, e);
        }
    }

    private static List<Document> documents(Path file, String name, String field, Set<String> without)
            throws DatasetException, IOException {
        List<Document> documents = new ArrayList<>();
        try (ParquetFileReader parquet = ParquetFileReader.open(InputFile.of(file));
                RowReader rows = parquet.rowReader()) {
            List<Column> columns = columns(parquet.getFileSchema(), name, without);
            long expected = parquet.getFileMetaData().numRows();
            while (rows.hasNext()) {
                rows.next();
                Map<String, @Nullable Object> row = new LinkedHashMap<>();
                for (Column column : columns) {
                    row.put(column.name(), rows.isNull(column.name()) ? null : value(rows, column));
                }
                String document = String.format(Locale.ROOT, "%s#%09d", name, documents.size() + 1);
                documents.add(Rows.document(document, row, field));
            }
            if (documents.size() != expected) {
                throw DatasetException.bytes(
                        "%s: should have %d rows by its footer, %d were found", name, expected, documents.size());
            }
            return documents;
        } catch (RuntimeException e) {
            // The library's own checks of a file it cannot trust.
            throw damaged(name, e);
        }
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
            columns.add(new Column(node.name(), column.type()));
        }
        return columns;
    }

    private static Object value(RowReader rows, Column column) throws DatasetException {
        return switch (column.type()) {
            case BOOLEAN -> rows.getBoolean(column.name());
            case INT32 -> rows.getInt(column.name());
            case INT64 -> rows.getLong(column.name());
            case FLOAT -> rows.getFloat(column.name());
            case DOUBLE -> rows.getDouble(column.name());
            case BYTE_ARRAY -> Utf8.strict(rows.getBinary(column.name()), "column \"" + column.name() + '"');
            case INT96, FIXED_LEN_BYTE_ARRAY -> rows.getBinary(column.name());
        };
    }

    private static DatasetException damaged(String name, Exception e) {
        return new DatasetException(
                DatasetException.Kind.BYTES,
                "%s cannot be read as Parquet: %s: fetch it again".formatted(name, e.getMessage()),
                e);
    }
}
