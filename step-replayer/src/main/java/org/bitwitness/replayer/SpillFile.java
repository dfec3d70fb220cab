package org.bitwitness.replayer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.TensorBank;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * A temporary file for tensors that a replay does not compute with at the moment. It belongs to this process alone: made under
 * a fresh name that only its owner may read, without a name at all from then on where the system can do that, gone when the
 * process ends, and never read by another one. Its bytes are trusted no further than a disk is: the SHA-256 of every tensor
 * stays in memory and is compared when the tensor is read back; a tensor that changed ends the replay without a verdict.
 */
class SpillFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 18;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final MessageDigest digest = Hashing.newDigest();
    private final Map<String, TensorBank> banks = new HashMap<>();
    private long endByte;

    /** @param channel of an empty file, for reading and writing; closed with this */
    SpillFile(FileChannel channel) {
        this.channel = channel;
    }

    /** A new one in {@code folder}. */
    static SpillFile in(Path folder) {
        try {
            // Made here with the owner's rights alone; opening it so that it is deleted takes its name away.
            Path file = Files.createTempFile(folder, "bitwitness-", ".spill");
            return new SpillFile(FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)));
        } catch (IOException e) {
            throw new SpillException(
                    "no temporary file can be made in %s: %s: give the replay more memory, or java.io.tmpdir another folder"
                            .formatted(folder, e),
                    e);
        }
    }

    /** The bank of this name: a new one, or the one that was made before, whose tensors are overwritten. */
    TensorBank bank(String name, ParameterManifest manifest) {
        return banks.computeIfAbsent(name, _ -> new Bank(name, manifest));
    }

    /** Called when a tensor has been written: for tests, which change it. */
    void kept() {}

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new SpillException("the temporary file cannot be closed: " + e, e);
        }
    }

    private final class Bank implements TensorBank {
        private final String bankName;
        private final ParameterManifest manifest;
        private final long[] firstByte;
        private final Map<Integer, Sha256> written = new HashMap<>();

        Bank(String bankName, ParameterManifest manifest) {
            this.bankName = bankName;
            this.manifest = manifest;
            this.firstByte = new long[manifest.count()];
            for (Parameter p : manifest.parameters()) {
                firstByte[p.index()] = endByte;
                endByte = Math.addExact(endByte, (long) p.size() * Float.BYTES);
            }
        }

        @Override
        public synchronized float[] get(int index) {
            Sha256 expected = written.get(index);
            Parameter p = manifest.parameters().get(index);
            if (expected == null) {
                throw new IllegalStateException("nothing was kept of %s in %s".formatted(p.name(), bankName));
            }
            float[] data = new float[p.size()];
            Sha256 found = transfer(data, firstByte[index], false);
            if (!found.equals(expected)) {
                throw new SpillException(
                        "%s, kept in a temporary file, should have SHA-256 %s, has %s: this machine's disk or memory"
                                        .formatted(p.name(), expected, found)
                                + " changed it, or somebody did");
            }
            return data;
        }

        @Override
        public synchronized void put(int index, float[] data) {
            int size = manifest.parameters().get(index).size();
            if (data.length != size) {
                throw new IllegalArgumentException(
                        "tensor %d has %d elements, got %d".formatted(index, size, data.length));
            }
            written.put(index, transfer(data, firstByte[index], true));
            kept();
        }

        @Override
        public boolean inMemory() {
            return false;
        }
    }

    /** Writes or reads all of {@code data}; the SHA-256 of its bytes in the file. */
    private Sha256 transfer(float[] data, long firstByte, boolean write) {
        synchronized (buffer) {
            try {
                for (int done = 0; done < data.length; ) {
                    int floats = Math.min(BUFFER_BYTES / Float.BYTES, data.length - done);
                    buffer.clear().limit(floats * Float.BYTES);
                    long at = firstByte + (long) done * Float.BYTES;
                    if (write) {
                        buffer.asFloatBuffer().put(data, done, floats);
                        digest.update(buffer.duplicate());
                        move(at, true);
                    } else {
                        move(at, false);
                        digest.update(buffer.flip().duplicate());
                        buffer.asFloatBuffer().get(data, done, floats);
                    }
                    done += floats;
                }
                return Hashing.finish(digest);
            } catch (IOException e) {
                digest.reset();
                throw new SpillException(
                        "the temporary file cannot be %s: %s: free some disk, or give the replay more memory"
                                .formatted(write ? "written" : "read", e),
                        e);
            }
        }
    }

    private void move(long firstByte, boolean write) throws IOException {
        long at = firstByte;
        while (buffer.hasRemaining()) {
            int moved = write ? channel.write(buffer, at) : channel.read(buffer, at);
            if (moved < 0) {
                throw new IOException("it ends at byte " + at);
            }
            at += moved;
        }
    }
}
