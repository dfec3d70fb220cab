package org.bitwitness.protocol;

/** Root of a dataset: tokenizer, vocabulary and shards. */
public record DatasetRoot(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
