package org.bitwitness.datasets;

import java.util.List;

/**
 * How to build a dataset.
 *
 * @param name of the dataset
 * @param licence of its text; may be empty
 * @param sources files the documents came from
 * @param tokensPerShard a shard is closed once it has this many ids; documents are never cut
 * @param tokenizer that makes the ids
 */
public record DatasetOptions(
        String name, String licence, List<SourceFile> sources, long tokensPerShard, Tokenizer tokenizer) {
    public static final long DEFAULT_TOKENS_PER_SHARD = 1 << 20;

    public DatasetOptions {
        sources = List.copyOf(sources);
        if (tokensPerShard < 1) {
            throw new IllegalArgumentException("tokensPerShard is at least 1, got " + tokensPerShard);
        }
    }

    /** With the byte tokenizer. */
    public DatasetOptions(String name, String licence, List<SourceFile> sources, long tokensPerShard) {
        this(name, licence, sources, tokensPerShard, ByteTokenizer.INSTANCE);
    }

    public static DatasetOptions named(String name) {
        return new DatasetOptions(name, "", List.of(), DEFAULT_TOKENS_PER_SHARD);
    }
}
