package org.bitwitness.datasets;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a sample lies.
 *
 * @param shard its name
 * @param firstToken of the shard
 * @param documents that it reads from, in order; the last token is read as a target only
 */
public record SamplePlace(String shard, long firstToken, List<Span> documents) {
    public SamplePlace {
        documents = List.copyOf(documents);
    }

    /**
     * A piece of a document, in tokens counted from the document's first.
     *
     * @param from the first one read
     * @param end the first one not read; the document's end of text counts as its last token
     */
    public record Span(String document, long from, long end) {}

    static SamplePlace of(ShardEntry shard, long firstToken, int tokens) {
        List<Span> spans = new ArrayList<>();
        long endToken = firstToken + tokens;
        for (DocumentEntry document : shard.documents()) {
            long end = document.firstToken() + document.tokens();
            if (end > firstToken && document.firstToken() < endToken) {
                spans.add(new Span(
                        document.name(),
                        Math.max(0, firstToken - document.firstToken()),
                        Math.min(end, endToken) - document.firstToken()));
            }
        }
        return new SamplePlace(shard.name(), firstToken, spans);
    }
}
