package org.bitwitness.kernels;

import java.util.List;
import java.util.stream.Stream;

/** The comparisons of this package for tests of GPU devices, which live in packages of their own. */
public final class GpuComparisons {
    private GpuComparisons() {}

    public static List<String> kinds() {
        return OperatorCases.KINDS;
    }

    /** Families of golden runs: optimizers, combining rules, profiles. */
    public static List<String> goldenFamilies() {
        return Stream.concat(GoldenRun.FROM_OUTSIDE.stream(), GoldenRun.OUR_OWN.stream())
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
