package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * The workers' gradients as one.
 *
 * @param combined before averaging and clipping
 * @param workers how many gradients were combined
 * @param exponents EXACT: per parameter the exponents of its segments ({@link Exact}); all others: empty
 * @param mean whether {@code combined} stands for the mean over workers already (robust rules), or is their sum
 */
public record CombineResult(Gradients combined, int workers, List<List<Integer>> exponents, boolean mean) {
    public CombineResult {
        exponents = exponents.stream().map(List::copyOf).toList();
    }

    /**
     * Root over the exponents of an EXACT combination, for the step record; absent for all other rules.
     *
     * <p>{@code H(exponents, [E(segment-exponents, name, exponents i32…) in manifest order])}.
     */
    public Optional<Sha256> exponentsRoot() {
        if (exponents.isEmpty()) {
            return Optional.empty();
        }
        List<byte[]> items = new ArrayList<>();
        for (Parameter p : combined.manifest().parameters()) {
            int[] ofParameter = exponents.get(p.index()).stream()
                    .mapToInt(Integer::intValue)
                    .toArray();
            items.add(CanonicalEncoder.of("segment-exponents")
                    .text(p.name())
                    .packed32(ofParameter)
                    .toBytes());
        }
        return Optional.of(CanonicalEncoder.of("exponents").list(items).hash());
    }
}
