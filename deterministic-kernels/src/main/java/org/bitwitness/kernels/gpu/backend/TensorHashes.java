package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import java.nio.ByteBuffer;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.protocol.Sha256;

/** Launches of {@code hashing.cu}: a tensor's root without bringing the tensor to the host. */
final class TensorHashes {
    private static final int CHUNK_FLOATS = 4096;
    private static final int DIGEST_BYTES = 32;

    /** SHA-256's round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
    private static final int[] ROUND_CONSTANTS = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
    };

    private final DeviceMemory memory;
    private final Launcher launcher;

    TensorHashes(DeviceMemory memory, Launcher launcher) {
        this.memory = memory;
        this.launcher = launcher;
    }

    /** tensorRoot of docs/formats.md: MTH over chunks of 16,384 bytes. */
    Sha256 root(Tensor tensor) {
        int[] words = new int[8];
        memory.run(o -> {
            int nodes = Math.ceilDiv(tensor.size(), CHUNK_FLOATS);
            GpuBuffer constants = o.scratch(4L * ROUND_CONSTANTS.length);
            memory.device().copyIn(ROUND_CONSTANTS, 0, ROUND_CONSTANTS.length, constants, 0);
            GpuBuffer level = o.scratch((long) DIGEST_BYTES * nodes);
            GpuBuffer next = o.scratch((long) DIGEST_BYTES * Math.ceilDiv(nodes, 2));
            launcher.elements(
                    "hash_chunks",
                    nodes,
                    arg(o.read(tensor)),
                    arg(tensor.size()),
                    arg(level),
                    arg(nodes),
                    arg(constants));
            while (nodes > 1) {
                int parents = Math.ceilDiv(nodes, 2);
                launcher.elements("hash_pairs", parents, arg(level), arg(nodes), arg(next), arg(constants));
                GpuBuffer done = level;
                level = next;
                next = done;
                nodes = parents;
            }
            memory.device().copyOut(level, 0, words, 0, words.length);
        });
        ByteBuffer bytes = ByteBuffer.allocate(DIGEST_BYTES);
        for (int word : words) {
            bytes.putInt(word);
        }
        return Sha256.of(bytes.array());
    }
}
