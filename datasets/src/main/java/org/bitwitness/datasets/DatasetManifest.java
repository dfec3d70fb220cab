package org.bitwitness.datasets;

import java.util.List;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleHasher;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * Everything a dataset commits to. Documents stand in one explicit order, by the UTF-8 bytes of their names, whatever
 * machine, file system or locale built it.
 *
 * @param name of the dataset
 * @param licence of the text, an SPDX expression where there is one
 * @param tokenizer that made the ids
 * @param sources files the documents came from, by the UTF-8 bytes of their names
 * @param shards in order
 */
public record DatasetManifest(
        String name, String licence, TokenizerSpec tokenizer, List<SourceFile> sources, List<ShardEntry> shards) {
    public static final String FILE = "manifest.json";

    /** What the manifest states about the documents of structured sources; bound by the root. */
    static final String TEXT_POLICY = "UTF-8; leading byte order marks dropped; carriage returns before LF dropped";

    static final String JSON_POLICY =
            "integers exact and distinct from decimals; NaN, infinities and duplicate keys refused";

    private static final int MAX_TEXT_CHARACTERS = 1000;

    public DatasetManifest {
        sources = List.copyOf(sources);
        shards = List.copyOf(shards);
        if (name.isBlank() || name.length() > MAX_TEXT_CHARACTERS || licence.length() > MAX_TEXT_CHARACTERS) {
            throw new IllegalArgumentException(
                    "a dataset has a name, and name and licence have at most " + MAX_TEXT_CHARACTERS + " characters");
        }
        if (shards.isEmpty()) {
            throw new IllegalArgumentException("a dataset has at least one shard");
        }
        requireOrder("source", sources.stream().map(SourceFile::name).toList());
        requireOrder(
                "document",
                shards.stream()
                        .flatMap(s -> s.documents().stream())
                        .map(DocumentEntry::name)
                        .toList());
        for (int i = 0; i < shards.size(); i++) {
            if (shards.get(i).index() != i) {
                throw new IllegalArgumentException("shard number %d says it is %s"
                        .formatted(i, shards.get(i).name()));
            }
        }
    }

    public TokenWidth width() {
        return TokenWidth.ofVocab(tokenizer.vocab());
    }

    public long tokenCount() {
        return shards.stream().mapToLong(ShardEntry::tokens).reduce(0, Math::addExact);
    }

    public long documentCount() {
        return shards.stream().mapToLong(s -> s.documents().size()).sum();
    }

    /** Samples of one epoch. */
    public long sampleCount(SampleForm form) {
        return shards.stream().mapToLong(s -> s.sampleCount(form)).reduce(0, Math::addExact);
    }

    /**
     * {@code H(dataset, name, licence, text policy, JSON policy, E(tokenizer, kind, digest, vocab, endOfText), list of
     * E(source, name, bytes, sha256), shardCount, MTH(shard leaves))}.
     */
    public DatasetRoot root() {
        MerkleHasher tree = new MerkleHasher();
        for (ShardEntry shard : shards) {
            tree.addLeaf(shard.leaf(width()));
        }
        return new DatasetRoot(CanonicalEncoder.of("dataset")
                .text(name)
                .text(licence)
                .text(TEXT_POLICY)
                .text(JSON_POLICY)
                .bytes(CanonicalEncoder.of("tokenizer")
                        .text(tokenizer.kind())
                        .digest(tokenizer.digest())
                        .u64(tokenizer.vocab())
                        .u64(tokenizer.endOfText())
                        .toBytes())
                .list(sources.stream()
                        .map(s -> CanonicalEncoder.of("source")
                                .text(s.name())
                                .u64(s.bytes())
                                .digest(s.sha256())
                                .toBytes())
                        .toList())
                .u64(shards.size())
                .digest(tree.root())
                .hash());
    }

    private static void requireOrder(String what, List<String> names) {
        for (int i = 1; i < names.size(); i++) {
            int order = Utf8Order.COMPARATOR.compare(names.get(i - 1), names.get(i));
            if (order == 0) {
                throw new IllegalArgumentException("two %ss are named %s".formatted(what, names.get(i)));
            }
            if (order > 0) {
                throw new IllegalArgumentException(
                        "%ss are listed by the UTF-8 bytes of their names, but %s stands before %s"
                                .formatted(what, names.get(i - 1), names.get(i)));
            }
        }
    }
}
