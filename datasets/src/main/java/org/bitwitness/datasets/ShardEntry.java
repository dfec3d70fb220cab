package org.bitwitness.datasets;

import java.util.List;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleHasher;

/**
 * One shard: whole documents, their ids one after the other.
 *
 * @param index from 0; the shard's name is {@code shard-00000} and so on
 * @param tokens ids in all
 * @param tokenRoot Merkle root over the ids as the file holds them, in chunks of 16,384 bytes
 * @param documents in order, covering every id
 */
public record ShardEntry(int index, long tokens, Sha256 tokenRoot, List<DocumentEntry> documents) {
    public static final int MAX_SHARDS = 100_000;

    public ShardEntry {
        documents = List.copyOf(documents);
        if (index < 0 || index >= MAX_SHARDS || documents.isEmpty()) {
            throw new IllegalArgumentException("a shard has an index in [0, %d) and a document, got %d and %d documents"
                    .formatted(MAX_SHARDS, index, documents.size()));
        }
        long next = 0;
        for (DocumentEntry document : documents) {
            if (document.firstToken() != next) {
                throw new IllegalArgumentException("document %s should start at token %d of its shard, says %d"
                        .formatted(document.name(), next, document.firstToken()));
            }
            next = Math.addExact(next, document.tokens());
        }
        if (next != tokens) {
            throw new IllegalArgumentException(
                    "%s says %d tokens, its documents have %d".formatted(ShardHeader.name(index), tokens, next));
        }
    }

    public String name() {
        return ShardHeader.name(index);
    }

    /** Name of the file with the ids. */
    public String tokensFile() {
        return ShardHeader.fileName(index);
    }

    /** Name of the file with the documents. */
    public String documentsFile() {
        return name() + ".documents";
    }

    /** Samples of this shard. */
    public long sampleCount(SampleForm form) {
        return form.count(tokens);
    }

    /** {@code E(shard, index, name, dtype, tokens, tokenRoot, documentCount, MTH(document leaves))}. */
    byte[] leaf(TokenWidth width) {
        MerkleHasher tree = new MerkleHasher();
        for (DocumentEntry document : documents) {
            tree.addLeaf(document.leaf());
        }
        return CanonicalEncoder.of("shard")
                .u64(index)
                .text(name())
                .text(width.text())
                .u64(tokens)
                .digest(tokenRoot)
                .u64(documents.size())
                .digest(tree.root())
                .toBytes();
    }
}
