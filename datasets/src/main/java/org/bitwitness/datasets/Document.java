package org.bitwitness.datasets;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * One document: a name that no other document of the dataset has, its text in {@link TextForm}, and, where the source is
 * structured, its other fields as canonical JSON.
 */
// The array is never changed after the document is made; equality compares its content.
@SuppressWarnings("ArrayRecordComponent")
public record Document(String name, byte[] text, Optional<String> metadata) {
    public static final int MAX_NAME_BYTES = 1024;

    /** @throws IllegalArgumentException if the name is not a plain relative name or the text is not in normal form */
    public Document {
        nameProblem(name).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        if (!TextForm.isNormal(text)) {
            throw new IllegalArgumentException("document " + name + " is not in normal text form");
        }
    }

    public static Document of(String name, byte[] text) {
        return new Document(name, text, Optional.empty());
    }

    /** Why a name cannot be a document's, or nothing. */
    public static Optional<String> nameProblem(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > MAX_NAME_BYTES) {
            return Optional.of("a document name has 1 to %d bytes, got %d".formatted(MAX_NAME_BYTES, bytes));
        }
        if (name.codePoints().anyMatch(c -> Character.isISOControl(c) || c == '\\' || c == 0xFFFD)
                || !name.equals(new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))) {
            return Optional.of("a document name has no control characters and no backslash: \""
                    + name.codePoints()
                            .map(c -> Character.isISOControl(c) ? '?' : c)
                            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    + '"');
        }
        boolean odd = name.startsWith("/")
                || Arrays.stream(name.split("/", -1)).anyMatch(p -> p.isEmpty() || p.equals(".") || p.equals(".."));
        return odd
                ? Optional.of("a document name is relative, without empty, . or .. parts: " + name)
                : Optional.empty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Document d
                && name.equals(d.name)
                && Arrays.equals(text, d.text)
                && metadata.equals(d.metadata);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(text);
    }

    @Override
    public String toString() {
        return "Document[" + name + ", " + text.length + " bytes]";
    }
}
