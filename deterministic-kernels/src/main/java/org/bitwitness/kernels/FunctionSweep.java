package org.bitwitness.kernels;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongConsumer;
import org.bitwitness.protocol.tensor.Shape;

/**
 * One number over every float32 input of a function: h = Σ mix((i &lt;&lt; 32) | bits(f(asFloat(i)))) mod 2^64 for i = 0 …
 * 2^32 − 1, where mix(k) is: k·= 9E3779B97F4A7C15, k ^= k >>> 29, k·= BF58476D1CE4E5B9.
 * Two implementations with the same h agree on every input, but for chance.
 */
public final class FunctionSweep {
    /** Inputs of a full sweep. */
    public static final long INPUTS = 1L << 32;

    private static final int BLOCK = 1 << 16;

    /** Sums that an independent implementation of the profile computed over all inputs. */
    private static final Map<ScalarFunction, Long> KNOWN =
            Map.of(ScalarFunction.EXP, 0xd983bfe34defda09L, ScalarFunction.TANH, 0x0eede455c7e89d9eL);

    private FunctionSweep() {}

    /** The known answer of a full sweep, where one was published with the profile. */
    public static Optional<Long> knownAnswer(ScalarFunction function) {
        return Optional.ofNullable(KNOWN.get(function));
    }

    /** The sum over every input. */
    public static long full(Backend backend, ScalarFunction function, LongConsumer inputsDone) {
        return strided(backend, function, 1, inputsDone);
    }

    /**
     * The sum over the inputs 0, stride, 2·stride, …
     *
     * @param stride at least 1
     * @param inputsDone told now and then how many of the 2^32 inputs are behind
     */
    public static long strided(Backend backend, ScalarFunction function, int stride, LongConsumer inputsDone) {
        if (stride < 1) {
            throw new IllegalArgumentException("the stride is at least 1, got " + stride);
        }
        Tensor x = Tensor.declare("x", Shape.of(BLOCK));
        Tensor y = Tensor.declare("y", Shape.of(BLOCK));
        float[] inputs = new float[BLOCK];
        backend.allocate(y);
        long sum = 0;
        for (long first = 0; first < INPUTS; first += (long) BLOCK * stride) {
            for (int k = 0; k < BLOCK; k++) {
                inputs[k] = Float.intBitsToFloat((int) Math.min(INPUTS - 1, first + (long) k * stride));
            }
            backend.bind(x, inputs);
            backend.apply(function, x, y);
            sum += sumOfBlock(backend.fetch(y), first, stride);
            inputsDone.accept(first);
        }
        backend.release(List.of(x, y));
        return sum;
    }

    /** As {@link #strided(Backend, ScalarFunction, int, LongConsumer)}, of a function that is no backend's. NaN is 7fc00000. */
    public static long strided(DoubleUnaryOperator function, int stride) {
        long sum = 0;
        for (long input = 0; input < INPUTS; input += stride) {
            float y = (float) function.applyAsDouble(Float.intBitsToFloat((int) input));
            sum += mix(input << 32 | Integer.toUnsignedLong(Float.floatToIntBits(y)));
        }
        return sum;
    }

    private static long sumOfBlock(float[] outputs, long first, int stride) {
        long sum = 0;
        int count = (int) Math.min(BLOCK, (INPUTS - first + stride - 1) / stride);
        for (int k = 0; k < count; k++) {
            long input = first + (long) k * stride;
            sum += mix(input << 32 | Integer.toUnsignedLong(Float.floatToRawIntBits(outputs[k])));
        }
        return sum;
    }

    private static long mix(long k) {
        long a = k * 0x9E3779B97F4A7C15L;
        a ^= a >>> 29;
        return a * 0xBF58476D1CE4E5B9L;
    }
}
