package org.bitwitness.kernels.agreement;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.Tensor;

/** Runs the same operator on two backends and compares every bit; a NaN equals every NaN. */
final class Agreement {
    private final Backend oracle;
    private final Backend judged;

    Agreement(Backend oracle, Backend judged) {
        this.oracle = oracle;
        this.judged = judged;
    }

    /** The first difference, in words that let it be repeated. */
    Optional<String> difference(OperatorCase operator, long seed, Inputs.Style style) {
        List<Tensor> expected = operator.body().run(oracle, new Inputs(seed, style));
        List<Tensor> computed = operator.body().run(judged, new Inputs(seed, style));
        for (int t = 0; t < expected.size(); t++) {
            float[] e = expected.get(t).data();
            float[] c = computed.get(t).data();
            for (int i = 0; i < e.length; i++) {
                if (Float.floatToIntBits(e[i]) != Float.floatToIntBits(c[i])) {
                    return Optional.of("%s, seed %d, %s: %s[%d] should be %08x (%s), is %08x (%s)"
                            .formatted(
                                    operator.name(),
                                    seed,
                                    style,
                                    expected.get(t),
                                    i,
                                    Float.floatToIntBits(e[i]),
                                    e[i],
                                    Float.floatToIntBits(c[i]),
                                    c[i]));
                }
            }
        }
        return Optional.empty();
    }
}
