package org.bitwitness.protocol.store;

import java.io.IOException;
import org.bitwitness.protocol.RecordingPath;

/** Called around every operation that changes a folder, so that a test can stop the world there. */
interface WriteBoundary {
    /** Lets everything happen. */
    WriteBoundary NOTHING = new WriteBoundary() {};

    /** Operations that a crash can fall before or after. */
    enum Operation {
        WRITE,
        MOVE
    }

    default void before(Operation operation, RecordingPath path) throws IOException {}

    default void after(Operation operation, RecordingPath path) throws IOException {}
}
