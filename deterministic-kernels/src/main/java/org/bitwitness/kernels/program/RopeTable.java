package org.bitwitness.kernels.program;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * Cosines and sines of the rotary embedding, each [context, headDim/2] row-major: computed in binary64 with fdlibm
 * ({@code StrictMath}) and rounded once. A recording names the digest; whoever has another libm loads the table instead.
 */
public final class RopeTable {
    private final int context;
    private final int half;
    private final float[] cos;
    private final float[] sin;

    /** A table from elsewhere. Shares the arrays. */
    public RopeTable(int context, int half, float[] cos, float[] sin) {
        int elements = Math.multiplyExact(context, half);
        if (cos.length != elements || sin.length != elements) {
            throw new IllegalArgumentException("a rope table [%d, %d] needs %d cosines and sines, got %d and %d"
                    .formatted(context, half, elements, cos.length, sin.length));
        }
        this.context = context;
        this.half = half;
        this.cos = cos;
        this.sin = sin;
    }

    /** f_i = 1.0/θ^(2i/headDim); angle = position·f_i. */
    public static RopeTable compute(ModelConfig model) {
        int half = model.headDim() / 2;
        float[] cos = new float[Math.multiplyExact(model.context(), half)];
        float[] sin = new float[cos.length];
        for (int i = 0; i < half; i++) {
            double frequency = 1.0 / StrictMath.pow(model.ropeTheta(), (double) (2 * i) / (double) model.headDim());
            for (int position = 0; position < model.context(); position++) {
                double angle = (double) position * frequency;
                cos[position * half + i] = (float) StrictMath.cos(angle);
                sin[position * half + i] = (float) StrictMath.sin(angle);
            }
        }
        return new RopeTable(model.context(), half, cos, sin);
    }

    /** Positions. */
    public int context() {
        return context;
    }

    /** headDim/2. */
    public int half() {
        return half;
    }

    /** The array itself. */
    public float[] cos() {
        return cos;
    }

    /** The array itself. */
    public float[] sin() {
        return sin;
    }

    /** SHA-256 of the cosines, then the sines, little-endian. */
    public Sha256 digest() {
        MessageDigest digest = Hashing.newDigest();
        for (float[] part : new float[][] {cos, sin}) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(part.length, Float.BYTES))
                    .order(ByteOrder.LITTLE_ENDIAN);
            bytes.asFloatBuffer().put(part);
            digest.update(bytes.array());
        }
        return Hashing.finish(digest);
    }
}
