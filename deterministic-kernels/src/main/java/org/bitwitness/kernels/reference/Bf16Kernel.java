package org.bitwitness.kernels.reference;

import java.util.List;
import org.bitwitness.kernels.Tensor;

/** Rounding to bfloat16: a float32 whose low 16 bits are 0. */
final class Bf16Kernel {
    private Bf16Kernel() {}

    static void round(List<Tensor> tensors) {
        for (Tensor tensor : tensors) {
            float[] data = tensor.data();
            for (int i = 0; i < data.length; i++) {
                data[i] = round(data[i]);
            }
        }
    }

    /** The nearest one, of two equally near the one whose last kept bit is 0; past the largest, infinity. */
    static float round(float x) {
        if (Float.isNaN(x)) {
            return Float.NaN;
        }
        int bits = Float.floatToRawIntBits(x);
        int kept = bits & 0xffff_0000;
        int rest = bits & 0xffff;
        boolean odd = (bits >>> 16 & 1) != 0;
        boolean up = rest > 0x8000 || (rest == 0x8000 && odd);
        // One unit of the last kept place; a carry into the exponent is the next binade, or infinity.
        return Float.intBitsToFloat(up ? kept + 0x1_0000 : kept);
    }
}
