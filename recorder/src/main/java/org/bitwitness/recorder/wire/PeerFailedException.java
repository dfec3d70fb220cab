package org.bitwitness.recorder.wire;

import java.io.IOException;

/** The other side has said why it cannot go on. */
public final class PeerFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    public PeerFailedException(String reason) {
        super(reason);
    }
}
