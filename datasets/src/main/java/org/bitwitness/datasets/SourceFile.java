package org.bitwitness.datasets;

import org.bitwitness.protocol.Sha256;

/** A file that documents were taken from, as it was found. Its digest changes with a byte order mark, a document's not. */
public record SourceFile(String name, long bytes, Sha256 sha256) {
    public SourceFile {
        Document.nameProblem(name).ifPresent(problem -> {
            throw new IllegalArgumentException("source: " + problem);
        });
        if (bytes < 0) {
            throw new IllegalArgumentException("source " + name + " has a negative size");
        }
    }
}
