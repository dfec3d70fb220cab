package org.bitwitness.protocol.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Commitment;

/**
 * The ordered units that a challenge draws from. {@code INIT,STEP,FINAL} over N committed steps is INIT, STEP(0) to
 * STEP(N−1), and FINAL when the commitment is final. Kinds that have no unit yet take no places.
 */
public record UnitPopulation(List<String> kinds, long endStep, boolean finalCommitment) {
    private static final Set<String> KNOWN = Set.of("INIT", "REDUCE", "UPDATE", "STEP", "FINAL");

    public UnitPopulation {
        kinds = List.copyOf(kinds);
        if (endStep < 0) {
            throw new IllegalArgumentException("endStep cannot be negative, got " + endStep);
        }
        for (String kind : kinds) {
            if (!KNOWN.contains(kind)) {
                throw new IllegalArgumentException("a population is made of %s, got \"%s\""
                        .formatted(KNOWN.stream().sorted().toList(), kind));
            }
        }
        if (Set.copyOf(kinds).size() != kinds.size()) {
            throw new IllegalArgumentException("a kind is twice in the population " + kinds);
        }
    }

    /** Population of a commitment under its run's policy. */
    public static UnitPopulation of(AuditPolicy policy, Commitment commitment) {
        return of(policy.population(), commitment.endStep(), commitment.isFinal());
    }

    public static UnitPopulation of(String population, long endStep, boolean finalCommitment) {
        return new UnitPopulation(List.of(population.split(",", -1)), endStep, finalCommitment);
    }

    /** Number of units. */
    public long size() {
        long size = 0;
        for (String kind : kinds) {
            size = Math.addExact(size, places(kind));
        }
        return size;
    }

    /** Unit at a place from 0. */
    public AuditUnit unit(long index) {
        long rest = index;
        for (String kind : kinds) {
            if (rest >= 0 && rest < places(kind)) {
                return unit(kind, rest);
            }
            rest -= places(kind);
        }
        throw new IllegalArgumentException("a population of %d units has no number %d".formatted(size(), index));
    }

    /** The last unit of every kind that has one. */
    public List<AuditUnit> oneOfEachKind() {
        return kinds.stream()
                .filter(kind -> places(kind) > 0)
                .map(kind -> unit(kind, places(kind) - 1))
                .toList();
    }

    /** The units that a draw of indexes stands for, in its order. */
    public List<AuditUnit> units(List<Long> indexes) {
        List<AuditUnit> units = new ArrayList<>();
        indexes.forEach(index -> units.add(unit(index)));
        return units;
    }

    private long places(String kind) {
        return switch (kind) {
            case "INIT" -> 1;
            case "FINAL" -> finalCommitment ? 1 : 0;
            default -> endStep;
        };
    }

    private static AuditUnit unit(String kind, long step) {
        return switch (kind) {
            case "INIT" -> new AuditUnit.Init();
            case "FINAL" -> new AuditUnit.Final();
            case "REDUCE" -> new AuditUnit.Reduce(new StepIndex(step));
            case "UPDATE" -> new AuditUnit.Update(new StepIndex(step));
            default -> new AuditUnit.Step(new StepIndex(step));
        };
    }
}
