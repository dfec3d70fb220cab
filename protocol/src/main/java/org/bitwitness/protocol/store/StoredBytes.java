package org.bitwitness.protocol.store;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.record.FileEntry;

/** Hashes stored files through one small buffer. */
final class StoredBytes {
    private static final int BUFFER_BYTES = 1 << 18;

    private StoredBytes() {}

    static FileEntry entry(RecordingPath path, StoredFile file) throws ProtocolException {
        MessageDigest digest = Hashing.newDigest();
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(BUFFER_BYTES, Math.max(1, file.size())));
        for (long position = 0; position < file.size(); position += buffer.limit()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), file.size() - position));
            file.read(position, buffer);
            digest.update(buffer.array(), 0, buffer.limit());
        }
        return new FileEntry(path, file.size(), Hashing.finish(digest));
    }
}
