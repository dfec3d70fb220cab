package org.bitwitness.protocol.audit;

import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * What an auditor's verifiable random function is asked. It names the commitment's place in a log that is already
 * signed, so it cannot be known before.
 *
 * <pre>alpha = E(seed, origin, treeSize, logRoot, leafIndex, leafHash, chainHash, beaconMode, beacon…)</pre>
 *
 * The beacon's fields are a round and its signature for drand, one digest for witnesses, none for the auditor alone.
 *
 * @param origin name of the log
 * @param leafIndex of the commitment in the log; {@code leafHash} its hash there
 */
public record ChallengeSeed(
        String origin,
        long treeSize,
        Sha256 logRoot,
        long leafIndex,
        Sha256 leafHash,
        ChainHash chainHash,
        Beacon beacon) {
    public ChallengeSeed {
        if (leafIndex < 0 || leafIndex >= treeSize) {
            throw new IllegalArgumentException(
                    "the commitment must be in the tree: index %d of %d".formatted(leafIndex, treeSize));
        }
    }

    public byte[] alpha() {
        CanonicalEncoder out = CanonicalEncoder.of("seed")
                .text(origin)
                .u64(treeSize)
                .digest(logRoot)
                .u64(leafIndex)
                .digest(leafHash)
                .digest(chainHash.digest());
        return beacon.appendTo(out).toBytes();
    }
}
