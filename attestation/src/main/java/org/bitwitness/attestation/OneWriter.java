package org.bitwitness.attestation;

import java.nio.file.Path;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.store.WriterLock;

/** A {@link WriterLock} in this module's words. */
public final class OneWriter {
    private OneWriter() {}

    /**
     * Takes the lock.
     *
     * @param what it protects, for the message
     * @throws AttestationException environment, if another process has it or the file cannot be made
     */
    public static WriterLock lock(Path file, String what) throws AttestationException {
        try {
            return WriterLock.take(file, what);
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }
}
