package org.bitwitness.protocol.store;

import java.io.IOException;
import java.io.OutputStream;

/** Writes the bytes of a new file. May be asked once only. */
@FunctionalInterface
public interface FileContent {
    void writeTo(OutputStream out) throws IOException;

    static FileContent of(byte[] bytes) {
        return out -> out.write(bytes);
    }
}
