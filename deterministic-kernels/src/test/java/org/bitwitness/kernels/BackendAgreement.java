package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Compares a backend with the oracle, bit for bit, over random cases of one kind. Also a program, for child JVMs: arguments
 * are backend, seed, cases per operator, work per case, numbers of threads; prints differences, exits 1 if any.
 */
final class BackendAgreement {
    private BackendAgreement() {}

    /** What differs, one line per failing case; empty when all agree. */
    static List<String> differences(String kind, Backend computed, long seed, int cases) {
        return differences(kind, computed, new OperatorCases(seed), cases);
    }

    private static List<String> differences(String kind, Backend computed, OperatorCases source, int cases) {
        List<String> differences = new ArrayList<>();
        Backend oracle = Backends.create(BackendId.REFERENCE, 1);
        for (OperatorCase operatorCase : source.of(kind, cases)) {
            operatorCase.difference(oracle, computed).ifPresent(differences::add);
        }
        return differences;
    }

    /** As {@link #differences}, but ends with the first difference. */
    static List<String> firstDifference(String kind, Backend computed, long seed, int cases) {
        Backend oracle = Backends.create(BackendId.REFERENCE, 1);
        return new OperatorCases(seed)
                .of(kind, cases).stream()
                        .map(operatorCase -> operatorCase.difference(oracle, computed))
                        .flatMap(Optional::stream)
                        .limit(1)
                        .toList();
    }

    /** The three products of a linear layer of one size; ordinary values. */
    static List<String> products(Backend computed, int rows, int inputs, int outputs) {
        List<String> differences = new ArrayList<>();
        Backend oracle = Backends.create(BackendId.REFERENCE, 1);
        for (OperatorCase operatorCase : OperatorCases.products(rows, inputs, outputs)) {
            operatorCase.difference(oracle, computed).ifPresent(differences::add);
        }
        return differences;
    }

    public static void main(String[] args) {
        BackendId id = BackendId.parse(args[0]);
        long seed = Long.parseLong(args[1]);
        int cases = Integer.parseInt(args[2]);
        int work = Integer.parseInt(args[3]);
        int failures = 0;
        for (int i = 4; i < args.length; i++) {
            try (Backend backend = Backends.create(id, Integer.parseInt(args[i]))) {
                for (String kind : OperatorCases.KINDS) {
                    List<String> found = differences(kind, backend, new OperatorCases(seed, work), cases);
                    found.forEach(System.out::println);
                    failures += found.size();
                }
            }
        }
        System.out.println(failures == 0 ? "ALL BITS AGREE" : failures + " DIFFERENCES");
        System.exit(failures == 0 ? 0 : 1);
    }
}
