package org.bitwitness.datasets.source;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.SourceFile;

/**
 * Documents with the files they came from.
 *
 * @param documents in no particular order
 * @param emptyDocuments how many of them have no text; they are kept, and the number is told
 */
public record DocumentSet(List<SourceFile> sources, List<Document> documents, long emptyDocuments) {
    public DocumentSet {
        sources = List.copyOf(sources);
        documents = List.copyOf(documents);
    }

    /** Counts the empty ones. */
    public static DocumentSet of(List<SourceFile> sources, List<Document> documents) {
        return new DocumentSet(
                sources,
                documents,
                documents.stream().filter(d -> d.text().length == 0).count());
    }

    /** The same documents and sources, their names below a folder's, so that a mixture can name them together. */
    public DocumentSet below(String folder) {
        return new DocumentSet(
                sources.stream()
                        .map(s -> new SourceFile(folder + "/" + s.name(), s.bytes(), s.sha256()))
                        .toList(),
                documents.stream()
                        .map(d -> new Document(folder + "/" + d.name(), d.text(), d.metadata()))
                        .toList(),
                emptyDocuments);
    }

    /** Both sets together. */
    public DocumentSet and(DocumentSet other) {
        List<SourceFile> allSources = new ArrayList<>(sources);
        allSources.addAll(other.sources);
        List<Document> allDocuments = new ArrayList<>(documents);
        allDocuments.addAll(other.documents);
        return new DocumentSet(allSources, allDocuments, emptyDocuments + other.emptyDocuments);
    }
}
