package org.bitwitness.recorder;

import java.util.OptionalLong;

/**
 * What a sink gives back for a commitment.
 *
 * @param logIndex place in the log; absent where no log is used
 * @param bundle text of the signed bundle; becomes a file of the recording
 */
public record CommitmentReceipt(OptionalLong logIndex, String bundle) {
    public CommitmentReceipt {
        if (bundle.isBlank()) {
            throw new IllegalArgumentException("a receipt has a bundle");
        }
    }
}
