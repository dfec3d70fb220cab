package org.bitwitness.kernels.agreement;

import java.util.Arrays;
import java.util.Random;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.protocol.tensor.Shape;

/** Seeded arguments for one operator: two backends given equal seeds get equal arguments. */
final class Inputs {
    private static final float[] AWKWARD = {
        0f,
        -0f,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        Float.MIN_NORMAL,
        -Float.MIN_NORMAL,
        0x1.fffffcp-127f,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        1e19f,
        -1e19f,
        0x1p-75f,
        -0x1p-75f,
        1e8f,
        -1e8f,
        1f
    };
    private static final float[] NOT_FINITE = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
    private static final int[] SIZES = {1, 2, 3, 5, 8, 13, 16, 17, 31, 32, 33, 48, 61, 127, 128, 129, 257};
    private static final int[] LONG_SIZES = {511, 512, 513, 1023, 1031};

    /** What the numbers look like. */
    enum Style {
        /** Gaussian, as in training. */
        PLAIN,
        /** Zeros of both signs, subnormals, huge and tiny magnitudes, cancelling pairs among plain values. */
        AWKWARD,
        /** As AWKWARD, with a few infinities and NaN. */
        NOT_FINITE
    }

    private final Random random;
    private final Style style;

    Inputs(long seed, Style style) {
        this.random = new Random(seed);
        this.style = style;
    }

    Random random() {
        return random;
    }

    boolean coin() {
        return random.nextBoolean();
    }

    int size() {
        return SIZES[random.nextInt(SIZES.length)];
    }

    int sizeUpTo(int limit) {
        return Arrays.stream(SIZES)
                .filter(s -> s <= limit)
                .skip(random.nextInt(
                        (int) Arrays.stream(SIZES).filter(s -> s <= limit).count()))
                .findFirst()
                .orElseThrow();
    }

    int longSize() {
        return random.nextInt(3) == 0 ? LONG_SIZES[random.nextInt(LONG_SIZES.length)] : size();
    }

    float value() {
        if (style == Style.NOT_FINITE && random.nextInt(400) == 0) {
            return NOT_FINITE[random.nextInt(NOT_FINITE.length)];
        }
        if (style != Style.PLAIN && random.nextInt(8) == 0) {
            return AWKWARD[random.nextInt(AWKWARD.length)];
        }
        if (style != Style.PLAIN && random.nextInt(16) == 0) {
            return Math.scalb((float) random.nextGaussian(), random.nextInt(260) - 140);
        }
        return (float) random.nextGaussian();
    }

    Tensor matrix(String name, int rows, int columns) {
        float[] data = new float[Math.multiplyExact(rows, columns)];
        for (int i = 0; i < data.length; i++) {
            data[i] = value();
        }
        return Tensor.of(name, Shape.of(rows, columns), data);
    }

    Tensor vector(String name, int elements) {
        return Tensor.of(name, Shape.of(elements), matrix(name, 1, elements).data());
    }

    /** Storage full of a value that no operator may leave behind. */
    Tensor output(String name, int rows, int columns) {
        float[] data = new float[Math.multiplyExact(rows, columns)];
        Arrays.fill(data, 12345.678f);
        return Tensor.of(name, Shape.of(rows, columns), data);
    }

    Tensor output(String name, int elements) {
        return Tensor.of(name, Shape.of(elements), output(name, 1, elements).data());
    }

    DropoutSite dropout() {
        if (coin()) {
            return DropoutSite.none(3);
        }
        return new DropoutSite(true, random.nextInt(40), 1 + (random.nextLong() & 0xffff_fffeL), 1.25f);
    }

    OperatorContext context(int sequences, int length, int vocab) {
        int tokens = sequences * length;
        int[] ids = new int[tokens];
        int[] targets = new int[tokens];
        for (int n = 0; n < tokens; n++) {
            ids[n] = random.nextInt(vocab);
            targets[n] = random.nextInt(5) == 0 ? MicroBatch.NO_TARGET : random.nextInt(vocab);
        }
        return new OperatorContext(
                new MicroBatch(sequences, length, ids, targets),
                random.nextLong(),
                random.nextInt(1000),
                random.nextInt(5),
                random.nextInt(5),
                (float) (1.0 / (1 + tokens)));
    }
}
