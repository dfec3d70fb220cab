package org.bitwitness.attestation.log;

import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;

/** Reads bundles of entries and checks each entry against its hash in the tree. */
final class LogEntries {
    private LogEntries() {}

    /**
     * Entries of one bundle.
     *
     * @param leafHashes verified hashes, as many as {@code path} is wide
     * @throws AttestationException if the bundle is missing or an entry is not the one in the tree
     */
    static List<byte[]> read(LogSource source, TilePath path, List<Sha256> leafHashes) throws AttestationException {
        Optional<byte[]> found = source.read(path.path(), EntryBundle.MAX_BYTES);
        boolean exact = found.isPresent();
        if (found.isEmpty() && !path.isFull()) {
            found = source.read(path.full().path(), EntryBundle.MAX_BYTES);
        }
        byte[] bundle = found.orElseThrow(() -> AttestationException.refused(
                path + " is missing at " + source.place() + ": fetch the whole log again"));
        List<byte[]> entries = EntryBundle.read(bundle, path.width(), exact)
                .orElseThrow(
                        () -> AttestationException.refused("%s at %s should hold exactly %d entries, ends elsewhere"
                                .formatted(path, source.place(), path.width())));
        for (int i = 0; i < entries.size(); i++) {
            Sha256 actual = MerkleTree.leafHash(entries.get(i));
            if (!actual.equals(leafHashes.get(i))) {
                throw AttestationException.refused(
                        "entry %d (in %s at %s) should have leaf hash %s, has %s: it was changed; fetch it again"
                                .formatted(
                                        path.index() * TilePath.FULL + i,
                                        path,
                                        source.place(),
                                        leafHashes.get(i),
                                        actual));
            }
        }
        return entries;
    }
}
