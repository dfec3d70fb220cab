package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.bitwitness.kernels.OperatorCase.Recipe;

/** Cases of SGD, of the robust combining rules' parts, and of rounding to bfloat16. */
final class UpdateCases {
    private UpdateCases() {}

    static Recipe of(String kind, SplittableRandom shapes) {
        int big = shapes.nextInt(4) == 0 ? 65_536 + shapes.nextInt(1, 2_000) : shapes.nextInt(1, 3_000);
        int small = shapes.nextInt(1, 200);
        return switch (kind) {
            case "sgd" -> sgd(big, small, shapes);
            case "trimmedMean" -> trimmedMean(big, shapes.nextInt(1, 10), shapes);
            case "squaredDistance" ->
                (make, backend) -> List.of(backend.squaredDistance(
                        List.of(make.tensor("a", big), make.tensor("b", small)),
                        List.of(make.tensor("c", big), make.tensor("d", small))));
            case "weightedSum" -> weightedSum(big, small, shapes.nextInt(1, 6));
            case "roundToBf16" ->
                (make, backend) -> {
                    Tensor ties = make.tensor("ties", big);
                    for (int i = 0; i < big; i += 3) {
                        // Exactly between two bfloat16 numbers, where only the tie rule decides.
                        int bits = (Float.floatToRawIntBits(ties.data()[i]) & 0xffff_0000) | 0x8000;
                        ties.data()[i] = Float.intBitsToFloat(bits);
                    }
                    backend.roundToBf16(List.of(ties, make.tensor("b", small)));
                    return List.of();
                };
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private static Recipe sgd(int big, int small, SplittableRandom shapes) {
        SgdConstants constants = new SgdConstants(
                shapes.nextInt(4) == 0 ? 0f : 0.9f,
                shapes.nextBoolean() ? 1f : 0.8f,
                3e-3f,
                shapes.nextBoolean() ? 0f : 0.01f,
                shapes.nextBoolean() ? 1f : 0.37f,
                shapes.nextBoolean());
        return (make, backend) -> {
            List<SgdSlot> slots = new ArrayList<>();
            for (int size : new int[] {big, small, 1}) {
                slots.add(new SgdSlot(
                        make.tensor("w", size), make.tensor("m", size), make.tensor("g", size), slots.size() != 1));
            }
            return List.of(backend.sgd(slots, constants) ? 1.0 : 0.0);
        };
    }

    private static Recipe trimmedMean(int size, int workers, SplittableRandom shapes) {
        int trim = shapes.nextInt(0, (workers + 1) / 2);
        return (make, backend) -> {
            List<Tensor> byWorker = new ArrayList<>();
            for (int w = 0; w < workers; w++) {
                byWorker.add(make.tensor("w" + w, size));
            }
            backend.trimmedMean(byWorker, trim, make.output("out", size));
            return List.of();
        };
    }

    private static Recipe weightedSum(int big, int small, int terms) {
        return (make, backend) -> {
            List<List<Tensor>> all = new ArrayList<>();
            float[] weights = new float[terms];
            for (int t = 0; t < terms; t++) {
                all.add(List.of(make.tensor("x" + t, big), make.tensor("y" + t, small)));
                weights[t] = 1f / (t + 3);
            }
            backend.weightedSum(all, weights, List.of(make.output("p", big), make.output("q", small)));
            return List.of();
        };
    }
}
