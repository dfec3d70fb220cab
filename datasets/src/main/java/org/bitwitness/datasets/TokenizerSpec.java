package org.bitwitness.datasets;

import org.bitwitness.protocol.Sha256;

/**
 * Which tokenizer made the ids, to the byte.
 *
 * @param kind {@code bytes}, {@code ids}, or the library that runs a {@code tokenizer.json}
 * @param digest SHA-256 of the tokenizer file, or of the definition where there is none
 * @param vocab number of ids; every id is below it
 * @param endOfText id that ends every document
 */
public record TokenizerSpec(String kind, Sha256 digest, int vocab, int endOfText) {
    public TokenizerSpec {
        if (vocab < 1 || endOfText < 0 || endOfText >= vocab) {
            throw new IllegalArgumentException(
                    "endOfText lies in [0, vocab), got vocab %d, endOfText %d".formatted(vocab, endOfText));
        }
    }
}
