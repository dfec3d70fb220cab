package org.bitwitness.attestation.trust;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Which sets of cosigning witnesses are enough. */
public sealed interface Quorum {
    /** True if the witnesses for which {@code cosigned} holds are enough. */
    boolean isMetBy(Predicate<WitnessIdentity> cosigned);

    /** Every witness the rule names. */
    SequencedSet<WitnessIdentity> witnesses();

    /** The least number of witnesses that can be enough. */
    int fewest();

    /** The rule in words, for messages: {@code all of (w1, w2)}. */
    String words();

    /** No cosignature is needed: only for tests and for reading logs that have no witnesses. */
    record None() implements Quorum {
        @Override
        public boolean isMetBy(Predicate<WitnessIdentity> cosigned) {
            return true;
        }

        @Override
        public SequencedSet<WitnessIdentity> witnesses() {
            return new LinkedHashSet<>();
        }

        @Override
        public int fewest() {
            return 0;
        }

        @Override
        public String words() {
            return "none";
        }
    }

    /** This witness must have cosigned. */
    record One(WitnessIdentity witness) implements Quorum {
        @Override
        public boolean isMetBy(Predicate<WitnessIdentity> cosigned) {
            return cosigned.test(witness);
        }

        @Override
        public SequencedSet<WitnessIdentity> witnesses() {
            return new LinkedHashSet<>(Set.of(witness));
        }

        @Override
        public int fewest() {
            return 1;
        }

        @Override
        public String words() {
            return witness.name();
        }
    }

    /**
     * At least {@code threshold} of the members must be met. No witness is in two members, which the policy reader
     * guarantees, so the fewest witnesses are those of the cheapest members.
     */
    record Group(int threshold, List<Quorum> members) implements Quorum {
        public Group {
            members = List.copyOf(members);
            if (threshold < 1 || threshold > members.size()) {
                throw new IllegalArgumentException(
                        "need 1 <= threshold <= members, got %d of %d".formatted(threshold, members.size()));
            }
        }

        @Override
        public boolean isMetBy(Predicate<WitnessIdentity> cosigned) {
            return members.stream().filter(m -> m.isMetBy(cosigned)).count() >= threshold;
        }

        @Override
        public SequencedSet<WitnessIdentity> witnesses() {
            SequencedSet<WitnessIdentity> all = new LinkedHashSet<>();
            members.forEach(m -> all.addAll(m.witnesses()));
            return all;
        }

        @Override
        public int fewest() {
            return members.stream()
                    .mapToInt(Quorum::fewest)
                    .sorted()
                    .limit(threshold)
                    .sum();
        }

        @Override
        public String words() {
            String count = threshold == members.size() ? "all" : String.valueOf(threshold);
            return count + members.stream().map(Quorum::words).collect(Collectors.joining(", ", " of (", ")"));
        }
    }
}
