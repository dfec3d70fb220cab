package org.bitwitness.protocol.record;

import org.bitwitness.protocol.Sha256;

/**
 * The pinned tokenizer.
 *
 * @param kind a known kind, {@code bytes} in this version
 * @param digest over its definition, so that another version is another tokenizer
 */
public record TokenizerSpec(String kind, Sha256 digest) {
    public TokenizerSpec {
        if (!kind.matches("[a-z0-9-]{1,32}")) {
            throw new IllegalArgumentException("tokenizer.kind should be a short lower-case word");
        }
    }
}
