package org.bitwitness.kernels.agreement;

import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;

/** {@code AgreementMain SEED ROUNDS THREADS…}: all operators, all styles; prints the count, or the first difference. */
public final class AgreementMain {
    private AgreementMain() {}

    public static void main(String[] args) {
        long seed = Long.parseLong(args[0]);
        int rounds = Integer.parseInt(args[1]);
        int compared = 0;
        try (Backend reference = Backends.create(BackendId.REFERENCE, 1)) {
            for (int a = 2; a < args.length; a++) {
                try (Backend vector = Backends.create(BackendId.VECTOR, Integer.parseInt(args[a]))) {
                    compared += compare(new Agreement(reference, vector), seed, rounds);
                }
            }
        }
        System.out.println("agreed " + compared);
    }

    static int compare(Agreement agreement, long seed, int rounds) {
        int compared = 0;
        for (OperatorCase operator : OperatorCases.all()) {
            for (int round = 0; round < rounds; round++) {
                for (Inputs.Style style : Inputs.Style.values()) {
                    Optional<String> difference = agreement.difference(operator, seed + round, style);
                    if (difference.isPresent()) {
                        throw new AssertionError(difference.get());
                    }
                    compared++;
                }
            }
        }
        return compared;
    }
}
