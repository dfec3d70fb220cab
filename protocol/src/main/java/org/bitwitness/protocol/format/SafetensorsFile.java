package org.bitwitness.protocol.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.Map;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.store.RecordingStore;
import org.bitwitness.protocol.store.StoredFile;
import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.TensorId;

/**
 * Reads a safetensors file from anybody. The whole header is checked against the file's size before a tensor is
 * allocated: tensors must fill the file from the end of the header to its end, in any order of names, without overlap
 * or gap. Data may start at any offset.
 */
public final class SafetensorsFile implements AutoCloseable {
    private static final int COPY_BYTES = 1 << 18;

    private final String what;
    private final StoredFile file;
    private final SafetensorsHeader header;

    private SafetensorsFile(String what, StoredFile file, SafetensorsHeader header) {
        this.what = what;
        this.file = file;
        this.header = header;
    }

    public static SafetensorsFile open(RecordingStore store, RecordingPath path) throws ProtocolException {
        return open(path.text(), store.open(path));
    }

    /** Takes over {@code file}, which is closed with this, or at once when the header is refused. */
    public static SafetensorsFile open(String what, StoredFile file) throws ProtocolException {
        boolean accepted = false;
        try {
            SafetensorsFile opened = new SafetensorsFile(what, file, SafetensorsHeader.read(what, file));
            accepted = true;
            return opened;
        } finally {
            if (!accepted) {
                file.close();
            }
        }
    }

    /** Every tensor by name, in the order of the data. */
    public Map<String, TensorInfo> tensors() {
        return Collections.unmodifiableMap(header.tensors());
    }

    /** The {@code __metadata__} of the file; empty when it has none. */
    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(header.metadata());
    }

    /** All elements of an F32 tensor, row-major. */
    public float[] read(String name) throws ProtocolException {
        TensorInfo tensor = require(name);
        if (tensor.dtype() != DType.F32) {
            throw ProtocolException.malformed("%s: tensor %s should be F32, is %s", what, name, tensor.dtype());
        }
        long elements = tensor.shape().elementCount();
        if (elements > Integer.MAX_VALUE - 8) {
            throw ProtocolException.overLimit(
                    "%s: tensor %s has %d elements, at most 2^31 - 9 are read at once", what, name, elements);
        }
        float[] data = new float[(int) elements];
        ByteBuffer buffer = buffer(tensor);
        for (int done = 0; done < data.length; done += buffer.limit() / Float.BYTES) {
            buffer.clear().limit(Math.min(buffer.capacity(), (data.length - done) * Float.BYTES));
            file.read(header.dataStart() + tensor.begin() + (long) done * Float.BYTES, buffer);
            buffer.flip();
            buffer.asFloatBuffer().get(data, done, buffer.limit() / Float.BYTES);
        }
        return data;
    }

    /** {@code tensorLeaf} of a tensor of any type, hashed from the file through a small buffer. */
    public byte[] leaf(String name) throws ProtocolException {
        TensorInfo tensor = require(name);
        if (tensor.byteCount() == 0) {
            throw ProtocolException.malformed("%s: tensor %s is empty, which has no hash", what, name);
        }
        TensorDigests.ChunkHasher chunks = new TensorDigests.ChunkHasher();
        ByteBuffer chunk = ByteBuffer.allocate(TensorDigests.CHUNK_BYTES);
        for (long done = 0; done < tensor.byteCount(); done += chunk.limit()) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), tensor.byteCount() - done));
            file.read(header.dataStart() + tensor.begin() + done, chunk);
            chunks.add(chunk.flip());
        }
        Sha256 root = chunks.root();
        return TensorDigests.tensorLeaf(new TensorId(name, tensor.dtype(), tensor.shape()), tensor.byteCount(), root);
    }

    @Override
    public void close() {
        file.close();
    }

    private TensorInfo require(String name) throws ProtocolException {
        TensorInfo tensor = header.tensors().get(name);
        if (tensor == null) {
            String nearest = NearestWord.to(name, header.tensors().keySet())
                    .map(word -> ", the nearest is " + word)
                    .orElse("");
            throw ProtocolException.missing("%s: tensor %s is missing%s", what, name, nearest);
        }
        return tensor;
    }

    private static ByteBuffer buffer(TensorInfo tensor) {
        int bytes = (int) Math.min(COPY_BYTES, Math.max(Float.BYTES, tensor.byteCount()));
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
