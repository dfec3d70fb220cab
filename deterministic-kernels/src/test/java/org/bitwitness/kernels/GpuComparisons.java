package org.bitwitness.kernels;

import java.util.List;

/** The comparisons of this package for tests of GPU devices, which live in packages of their own. */
public final class GpuComparisons {
    private GpuComparisons() {}

    /** What has no kernel for devices yet. */
    public static List<String> absentKinds() {
        return List.of("sgd", "trimmedMean", "squaredDistance", "weightedSum", "roundToBf16");
    }

    public static List<String> kinds() {
        return OperatorCases.KINDS.stream()
                .filter(kind -> !absentKinds().contains(kind))
                .toList();
    }

    /** @see BackendAgreement#differences */
    public static List<String> differences(String kind, Backend computed, long seed, int cases) {
        return BackendAgreement.differences(kind, computed, seed, cases);
    }

    /** @see GoldenRun#differences */
    public static List<String> goldenRun(String family, Backend backend, int steps) {
        return GoldenRun.differences(family, backend, steps);
    }
}
