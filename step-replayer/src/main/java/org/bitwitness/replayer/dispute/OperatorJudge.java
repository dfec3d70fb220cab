package org.bitwitness.replayer.dispute;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.protocol.Sha256;

/** Executes the disputed operator, on the reference backend and on a second one where the machine has it. */
public final class OperatorJudge {

    /** What came out. */
    public sealed interface Finding {
        /**
         * All backends computed the same root.
         *
         * @param backends at least the reference
         */
        record Computed(Sha256 root, List<String> backends) implements Finding {
            public Computed {
                backends = List.copyOf(backends);
            }
        }

        /** The shelf lacks inputs, or holds others. */
        record NoData(String why) implements Finding {}

        /** Nothing that anybody could be blamed with. */
        record Undecided(String why, List<String> backends) implements Finding {
            public Undecided {
                backends = List.copyOf(backends);
            }
        }
    }

    private OperatorJudge() {}

    /** Reads the inputs of this one operator and computes its disputed output. */
    public static Finding judge(OperatorCase operator, DataShelf shelf) {
        Optional<OperatorRun> prepared;
        try {
            prepared = OperatorRun.prepare(operator, shelf);
        } catch (DisputeException e) {
            return new Finding.NoData(e.getMessage());
        }
        if (prepared.isEmpty()) {
            return new Finding.NoData("data of an input is missing: the auditor owes it");
        }
        if (operator.isHandOver()) {
            return new Finding.Computed(prepared.get().root(BackendId.REFERENCE), List.of());
        }
        return onEveryBackend(prepared.get());
    }

    private static Finding onEveryBackend(OperatorRun run) {
        List<BackendId> backends = Backends.available().contains(BackendId.VECTOR)
                ? List.of(BackendId.REFERENCE, BackendId.VECTOR)
                : List.of(BackendId.REFERENCE);
        List<String> names = backends.stream().map(BackendId::text).toList();
        try {
            List<Sha256> roots = backends.stream().map(run::root).distinct().toList();
            return roots.size() == 1
                    ? new Finding.Computed(roots.getFirst(), names)
                    : new Finding.Undecided(
                            "this machine's backends disagree: %s computed %s".formatted(names, roots), names);
        } catch (IllegalArgumentException e) {
            return new Finding.Undecided("the operator refuses its committed inputs: " + e.getMessage(), names);
        }
    }
}
