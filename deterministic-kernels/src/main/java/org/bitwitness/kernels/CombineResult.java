package org.bitwitness.kernels;

import java.util.List;
import org.bitwitness.kernels.program.Gradients;

/**
 * The workers' gradients as one.
 *
 * @param combined the sum over workers, before averaging and clipping
 * @param workers how many gradients were combined
 * @param exponents EXACT: per parameter the exponents of its segments ({@link Exact}); ORDERED: empty
 */
public record CombineResult(Gradients combined, int workers, List<List<Integer>> exponents) {
    public CombineResult {
        exponents = exponents.stream().map(List::copyOf).toList();
    }
}
