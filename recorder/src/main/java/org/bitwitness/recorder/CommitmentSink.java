package org.bitwitness.recorder;

import org.bitwitness.protocol.record.Commitment;

/** Where commitments go: signing and logging, which the recorder knows nothing about. */
public interface CommitmentSink {
    /**
     * Signs a commitment and makes it public. Called again with the same commitment after a crash that came before the
     * receipt was written down.
     *
     * @return what shows that it is public; for OPEN, training starts only after this returns
     * @throws RecorderException if it cannot be made public; the run stops
     */
    CommitmentReceipt commit(Commitment commitment) throws RecorderException;
}
