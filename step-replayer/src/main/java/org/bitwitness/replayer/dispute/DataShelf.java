package org.bitwitness.replayer.dispute;

import java.util.Optional;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.protocol.Sha256;

/** Where the data behind the proven roots lies. Nobody trusts it: what comes out is hashed. */
public interface DataShelf {
    /**
     * A tensor.
     *
     * @param elements how many it must have
     * @throws DisputeException if what lies there has another root or size
     */
    Optional<float[]> tensor(Sha256 root, int elements) throws DisputeException;

    /** A micro-batch, by the root over its rows. */
    Optional<MicroBatch> rows(Sha256 rowsRoot, BatchShape shape) throws DisputeException;
}
