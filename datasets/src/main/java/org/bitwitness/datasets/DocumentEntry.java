package org.bitwitness.datasets;

import java.util.Optional;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * One document of a shard.
 *
 * @param firstToken its first id, counted in the shard
 * @param tokens its ids, the end of text included
 * @param bytes length of its text in normal form
 * @param sha256 of that text
 * @param metadataSha256 of its other fields as canonical JSON, where there are any
 */
public record DocumentEntry(
        String name, long firstToken, long tokens, long bytes, Sha256 sha256, Optional<Sha256> metadataSha256) {
    public DocumentEntry {
        Document.nameProblem(name).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        if (firstToken < 0 || tokens < 1 || bytes < 0) {
            throw new IllegalArgumentException(
                    "document %s needs firstToken >= 0, tokens >= 1, bytes >= 0, got %d, %d, %d"
                            .formatted(name, firstToken, tokens, bytes));
        }
    }

    /** {@code E(document, name, firstToken, tokens, bytes, sha256, metadataSha256?)}. */
    byte[] leaf() {
        return CanonicalEncoder.of("document")
                .text(name)
                .u64(firstToken)
                .u64(tokens)
                .u64(bytes)
                .digest(sha256)
                .digest(metadataSha256)
                .toBytes();
    }
}
