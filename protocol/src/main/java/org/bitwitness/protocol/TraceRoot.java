package org.bitwitness.protocol;

/** Merkle root over the trace entries of one worker in one step. */
public record TraceRoot(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
