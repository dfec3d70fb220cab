package org.bitwitness.protocol.record;

import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepsRoot;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleHasher;

/**
 * The two hashes over the step records so far: the tree root, and the chain
 * {@code chainHash(t) = H(chain, chainHash(t−1), SHA-256(0x00 ‖ leaf t))} that starts at the run id.
 */
public final class StepChain {
    private final MerkleHasher tree = new MerkleHasher();
    private ChainHash chainHash;

    public StepChain(RunId runId) {
        this.chainHash = new ChainHash(runId.digest());
    }

    /** Adds the next step's leaf hash. */
    public StepChain add(Sha256 leafHash) {
        tree.add(leafHash);
        chainHash = new ChainHash(CanonicalEncoder.of("chain")
                .digest(chainHash.digest())
                .digest(leafHash)
                .hash());
        return this;
    }

    /** Adds the next step. */
    public StepChain add(StepRecord record) {
        return add(record.leafHash());
    }

    public long stepCount() {
        return tree.count();
    }

    public StepsRoot stepsRoot() {
        return new StepsRoot(tree.root());
    }

    public ChainHash chainHash() {
        return chainHash;
    }
}
