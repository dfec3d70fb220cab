package org.bitwitness.recorder.wire;

import java.io.IOException;

/** A worker says that another one is gone or silent. */
public final class PeerLostException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int position;

    /** @param position of the other one in the layout */
    public PeerLostException(int position, String reason) {
        super(reason);
        this.position = position;
    }

    public int position() {
        return position;
    }
}
