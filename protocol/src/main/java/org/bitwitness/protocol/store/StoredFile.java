package org.bitwitness.protocol.store;

import java.nio.ByteBuffer;
import org.bitwitness.protocol.ProtocolException;

/** An open file of a store, read at any position. */
public interface StoredFile extends AutoCloseable {
    /** Size when the file was opened, in bytes. */
    long size();

    /**
     * Fills the rest of {@code into} from {@code position}.
     *
     * @throws ProtocolException if the file ends before that
     */
    void read(long position, ByteBuffer into) throws ProtocolException;

    @Override
    void close();
}
