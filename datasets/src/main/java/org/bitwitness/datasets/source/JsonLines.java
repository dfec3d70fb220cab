package org.bitwitness.datasets.source;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.SourceFile;
import org.bitwitness.datasets.TextForm;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * JSON Lines: every line is an object, one field of it the text of a document, the others its metadata. Documents are
 * named {@code file.jsonl#000000001} by line.
 *
 * <p>Numbers keep their type and value: 64-bit integers stay exact, {@code 1.0} is not {@code 1}. NaN, infinities and a
 * key twice are refused with the line. Blank lines are refused too, but for the end of the file.
 */
public final class JsonLines {
    private JsonLines() {}

    /**
     * Reads a file.
     *
     * @param field the member that holds the text
     * @throws DatasetException naming the line at fault
     */
    public static DocumentSet read(Path file, String field) throws DatasetException {
        byte[] raw = TextFiles.readAll(file);
        String name = String.valueOf(file.getFileName());
        TextFiles.requireName(name + "#000000001");
        byte[] text = TextForm.of(raw, file.toString());
        List<Document> documents = new ArrayList<>();
        int from = 0;
        while (from < text.length) {
            int end = from;
            while (end < text.length && text[end] != '\n') {
                end++;
            }
            int line = documents.size() + 1;
            documents.add(document(Arrays.copyOfRange(text, from, end), field, name, line));
            from = end + 1;
        }
        return DocumentSet.of(List.of(new SourceFile(name, raw.length, Hashing.sha256(raw))), documents);
    }

    private static Document document(byte[] line, String field, String file, int number) throws DatasetException {
        String place = file + " line " + number;
        try {
            Json.Obj object = StrictJson.object(line, place);
            String text = JsonFields.of(place, object).text(field);
            Map<String, Json> others = new LinkedHashMap<>(object.members());
            others.remove(field);
            Optional<String> metadata = others.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new String(Json.canonicalBytes(new Json.Obj(others)), StandardCharsets.UTF_8));
            byte[] normal = TextForm.of(text.getBytes(StandardCharsets.UTF_8), place);
            return new Document(String.format(Locale.ROOT, "%s#%09d", file, number), normal, metadata);
        } catch (ProtocolException e) {
            throw DatasetException.of(e);
        }
    }
}
