package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;

/** Compares a backend with the oracle, bit for bit, over random cases of one kind. */
final class BackendAgreement {
    private BackendAgreement() {}

    /** What differs, one line per failing case; empty when all agree. */
    static List<String> differences(String kind, Backend computed, long seed, int cases) {
        List<String> differences = new ArrayList<>();
        Backend oracle = Backends.create(BackendId.REFERENCE, 1);
        for (OperatorCase operatorCase : new OperatorCases(seed).of(kind, cases)) {
            operatorCase.difference(oracle, computed).ifPresent(differences::add);
        }
        return differences;
    }
}
