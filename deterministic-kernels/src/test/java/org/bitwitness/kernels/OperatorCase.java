package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.protocol.tensor.Shape;

/**
 * One operator with concrete data, made anew from a seed for every backend that runs it. After the run every tensor is
 * compared, inputs too: an operator must not change what it only reads.
 */
final class OperatorCase {
    /** Builds the operator's arguments. */
    interface Recipe {
        /** Executes on {@code backend} with tensors made by {@code make}; returns numbers that are not in tensors. */
        List<Double> run(Maker make, Backend backend);
    }

    private final String name;
    private final long seed;
    private final Values values;
    private final Recipe recipe;

    OperatorCase(String name, long seed, Values values, Recipe recipe) {
        this.name = name;
        this.seed = seed;
        this.values = values;
        this.recipe = recipe;
    }

    /** The first difference between the two backends, naming the case and its seed. */
    Optional<String> difference(Backend expected, Backend computed) {
        Maker expectedData = new Maker(new SplittableRandom(seed), values);
        Maker computedData = new Maker(new SplittableRandom(seed), values);
        List<Double> expectedNumbers = recipe.run(expectedData, expected);
        List<Double> computedNumbers = recipe.run(computedData, computed);
        if (!expectedNumbers.equals(computedNumbers)) {
            return Optional.of("%s: expected %s, computed %s".formatted(this, expectedNumbers, computedNumbers));
        }
        for (int t = 0; t < expectedData.tensors.size(); t++) {
            Tensor tensor = expectedData.tensors.get(t);
            Optional<String> difference = Bits.firstDifference(
                    tensor.data(), computedData.tensors.get(t).data());
            if (difference.isPresent()) {
                return Optional.of("%s: tensor %s: %s".formatted(this, tensor, difference.get()));
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return "%s, %s values, seed %d".formatted(name, values, seed);
    }

    /** Makes tensors of random data and remembers them. */
    static final class Maker {
        private final SplittableRandom random;
        private final Values values;
        private final List<Tensor> tensors = new ArrayList<>();

        Maker(SplittableRandom random, Values values) {
            this.random = random;
            this.values = values;
        }

        Tensor tensor(String name, long... extents) {
            Shape shape = Shape.of(extents);
            float[] data = values.array(random, (int) shape.elementCount());
            if (values == Values.VANISHING && tensors.isEmpty()) {
                // Products with another tensor are then -0, and so are chains of them before +0 is added.
                for (int i = 0; i < data.length; i++) {
                    data[i] = -data[i];
                }
            }
            return keep(Tensor.of(name, shape, data));
        }

        /** Data that is finite and not negative: second moments, sums of exponentials. */
        Tensor positive(String name, long... extents) {
            Tensor tensor = tensor(name, extents);
            float[] data = tensor.data();
            for (int i = 0; i < data.length; i++) {
                data[i] = Float.isFinite(data[i]) ? Math.abs(data[i]) + 0x1p-20f : 1f;
            }
            return tensor;
        }

        /** NaN everywhere, so that an element that is not written shows. */
        Tensor output(String name, long... extents) {
            Shape shape = Shape.of(extents);
            float[] data = new float[(int) shape.elementCount()];
            Arrays.fill(data, Float.NaN);
            return keep(Tensor.of(name, shape, data));
        }

        SplittableRandom random() {
            return random;
        }

        private Tensor keep(Tensor tensor) {
            tensors.add(tensor);
            return tensor;
        }
    }

    /** A recipe for one operator of a program. */
    static List<Double> run(Operator operator, Backend backend, OperatorContext context) {
        operator.run(backend, context);
        return List.of();
    }
}
