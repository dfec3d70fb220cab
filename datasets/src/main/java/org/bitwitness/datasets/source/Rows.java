package org.bitwitness.datasets.source;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.TextForm;
import org.bitwitness.protocol.format.Json;
import org.jspecify.annotations.Nullable;

/**
 * Makes documents of rows of a table: one column is the text, the others are metadata under the rules that JSON lines
 * have. What cannot be kept exactly is refused by name; nothing is left out silently.
 */
public final class Rows {
    /** A text column is read into memory in pieces of at most this many bytes, one for each row. */
    public static final int MAX_TEXT_BYTES = 1 << 28;

    private Rows() {}

    /** What the documents of one file may take in memory, where they all stay until the dataset is written. */
    public static final class Room {
        private final long limit;
        private long taken;

        Room(long limit) {
            this.limit = limit;
        }

        /** Half of what this JVM may have. */
        public static Room ofThisJvm() {
            return new Room(Runtime.getRuntime().maxMemory() / 2);
        }

        /**
         * Counts a document.
         *
         * @throws DatasetException if there is no room for it
         */
        public Document take(Document document) throws DatasetException {
            taken += document.text().length
                    + document.metadata().map(m -> 2L * m.length()).orElse(0L);
            if (taken > limit) {
                throw DatasetException.bytes(
                        "%s: the rows up to here decode to over %d bytes, half of this JVM's memory: split the file, or"
                                + " give more memory with BITWITNESS_JAVA_OPTS=-Xmx16g",
                        document.name(), limit);
            }
            return document;
        }
    }

    /**
     * One row.
     *
     * @param name of the document
     * @param columns every column with what the row has there
     * @param field the column that holds the text
     */
    public static Document document(String name, Map<String, @Nullable Object> columns, String field)
            throws DatasetException {
        TextFiles.requireName(name);
        if (!(columns.get(field) instanceof String text)) {
            throw DatasetException.bytes(
                    "%s: column \"%s\" should hold text, has %s",
                    name,
                    field,
                    columns.containsKey(field) ? "no text in this row" : "the columns " + columns.keySet());
        }
        Map<String, Json> others = new TreeMap<>();
        for (Map.Entry<String, @Nullable Object> column : columns.entrySet()) {
            if (!column.getKey().equals(field)) {
                others.put(column.getKey(), json(name, column.getKey(), column.getValue()));
            }
        }
        Optional<String> metadata = others.isEmpty()
                ? Optional.empty()
                : Optional.of(new String(Json.canonicalBytes(new Json.Obj(others)), StandardCharsets.UTF_8));
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_TEXT_BYTES) {
            throw DatasetException.bytes(
                    "%s: its text has %d bytes, at most %d are read: split it", name, bytes.length, MAX_TEXT_BYTES);
        }
        return new Document(name, TextForm.of(bytes, name), metadata);
    }

    private static Json json(String name, String column, @Nullable Object value) throws DatasetException {
        return switch (value) {
            case null -> new Json.Null();
            case String text -> new Json.Text(text);
            case Boolean truth -> new Json.Bool(truth);
            case Byte number -> new Json.Int(number);
            case Short number -> new Json.Int(number);
            case Integer number -> new Json.Int(number);
            case Long number -> new Json.Int(number);
            case Float number when Float.isFinite(number) -> new Json.Decimal(new BigDecimal(Float.toString(number)));
            case Double number
            when Double.isFinite(number) -> new Json.Decimal(new BigDecimal(Double.toString(number)));
            default ->
                throw DatasetException.bytes(
                        "%s: column \"%s\" has %s, which metadata does not keep exactly: leave the column out with"
                                + " --without %s",
                        name, column, value.getClass().getSimpleName(), column);
        };
    }
}
