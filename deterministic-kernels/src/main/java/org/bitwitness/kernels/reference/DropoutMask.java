package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.protocol.random.Philox4x32;

/** Decides element by element what a dropout keeps. A site of rate 0 keeps everything and multiplies nothing. */
final class DropoutMask {
    private final DropoutSite site;
    private final OperatorContext context;
    private final int[] words = new int[4];
    private long block = -1;

    DropoutMask(DropoutSite site, OperatorContext context) {
        this.site = site;
        this.context = context;
    }

    /** keep ? x·scale : +0. */
    float apply(long element, float x) {
        if (!site.active()) {
            return x;
        }
        return keeps(element) ? x * site.scale() : 0f;
    }

    private boolean keeps(long element) {
        if (element >> 2 != block) {
            block = element >> 2;
            Philox4x32.block(
                    (int) block,
                    (int) context.updateCount(),
                    context.philoxWorkerWord(),
                    site.operator(),
                    (int) context.dropoutSeed(),
                    (int) (context.dropoutSeed() >>> 32),
                    words);
        }
        return Integer.compareUnsigned(words[(int) (element & 3)], site.thresholdWord()) < 0;
    }
}
