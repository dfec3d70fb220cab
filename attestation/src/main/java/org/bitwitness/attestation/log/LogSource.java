package org.bitwitness.attestation.log;

import java.util.Optional;
import org.bitwitness.attestation.AttestationException;

/** Where a log's files are read from: a folder or a static web host. Nothing it returns is trusted. */
public interface LogSource {
    /**
     * Reads one file.
     *
     * @param path relative, with slashes, like {@code tile/0/x001/234}
     * @param maxBytes a longer file is refused without being read
     * @return empty if there is no such file
     * @throws AttestationException if it cannot be read or is too long
     */
    Optional<byte[]> read(String path, int maxBytes) throws AttestationException;

    /** The place in words, for messages. */
    String place();
}
