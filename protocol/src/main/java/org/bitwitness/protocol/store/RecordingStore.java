package org.bitwitness.protocol.store;

import java.nio.ByteBuffer;
import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.record.FileEntry;

/**
 * The files of one recording. A file appears whole or not at all, and never changes afterwards: whoever writes the same
 * path again must bring the same bytes.
 */
public interface RecordingStore {
    /** Every file, ordered by path. A name that no recording may have is refused, because nothing may hide there. */
    List<RecordingPath> files() throws ProtocolException;

    /** Names of files that a crash left half written; they are never read. */
    List<String> leftovers() throws ProtocolException;

    boolean exists(RecordingPath path) throws ProtocolException;

    StoredFile open(RecordingPath path) throws ProtocolException;

    /**
     * Writes a file that is then there after any crash, and says what was written.
     *
     * @throws ProtocolException if the path holds other bytes already, or the machine cannot write
     */
    FileEntry write(RecordingPath path, FileContent content) throws ProtocolException;

    /** Replaces a file that is still growing, like telemetry; it too appears whole. */
    FileEntry replace(RecordingPath path, FileContent content) throws ProtocolException;

    /** Removes a file that nothing commits to, on the way back to the last commitment. */
    void delete(RecordingPath path) throws ProtocolException;

    /** Where this is, for messages. */
    String describe();

    /** The whole file. */
    default byte[] readAll(RecordingPath path, int maxBytes) throws ProtocolException {
        try (StoredFile file = open(path)) {
            if (file.size() > maxBytes) {
                throw ProtocolException.overLimit(
                        "%s: at most %d bytes are read at once, has %d", path, maxBytes, file.size());
            }
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, ByteBuffer.wrap(bytes));
            return bytes;
        }
    }

    /** Size and SHA-256 of a file as it lies there now. */
    default FileEntry entry(RecordingPath path) throws ProtocolException {
        try (StoredFile file = open(path)) {
            return StoredBytes.entry(path, file);
        }
    }
}
