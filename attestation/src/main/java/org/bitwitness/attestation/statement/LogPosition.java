package org.bitwitness.attestation.statement;

import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;

/**
 * Where a commitment stands in a log: the first witnessed checkpoint that holds it.
 *
 * @param origin the log
 * @param treeSize entries in that checkpoint
 * @param root its root
 * @param leafIndex the commitment's index, below {@code treeSize}
 * @param leafHash the commitment's leaf hash
 */
public record LogPosition(String origin, long treeSize, Sha256 root, long leafIndex, Sha256 leafHash) {
    public LogPosition {
        if (origin.isEmpty() || origin.length() > 255) {
            throw new IllegalArgumentException("an origin has 1 to 255 characters, got " + origin.length());
        }
        if (leafIndex < 0 || leafIndex >= treeSize) {
            throw new IllegalArgumentException(
                    "need 0 <= leafIndex < treeSize, got %d and %d".formatted(leafIndex, treeSize));
        }
    }

    Json.Obj toJson() {
        return Json.object()
                .put("leafHash", leafHash.hex())
                .put("leafIndex", leafIndex)
                .put("origin", origin)
                .put("root", root.hex())
                .put("treeSize", treeSize)
                .build();
    }

    static LogPosition read(JsonFields in) throws ProtocolException {
        String origin = in.text("origin");
        long treeSize = in.integer("treeSize", 1, Long.MAX_VALUE);
        Sha256 root = in.digest("root");
        long leafIndex = in.integer("leafIndex", 0, Long.MAX_VALUE);
        Sha256 leafHash = in.digest("leafHash");
        in.end();
        return Reading.value(in.path(), () -> new LogPosition(origin, treeSize, root, leafIndex, leafHash));
    }
}
