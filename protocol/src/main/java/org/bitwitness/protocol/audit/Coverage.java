package org.bitwitness.protocol.audit;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;

/**
 * Which steps enough independent auditors reproduced. A step is covered by an auditor when all its GRADIENTs, its
 * REDUCE and its UPDATE are, by any units; it counts as covered when {@code replicas} auditors cover each part of it.
 *
 * @param steps number of committed steps
 * @param replicasByStep for each step, auditors that reproduced its least covered part
 */
public record Coverage(long steps, int requiredReplicas, List<Integer> replicasByStep) {
    /** A step costs memory here, and anybody may log a commitment that claims any number of them. */
    public static final int MAX_STEPS = 1 << 24;

    public Coverage {
        replicasByStep = List.copyOf(replicasByStep);
        if (requiredReplicas < 1 || replicasByStep.size() != steps) {
            throw new IllegalArgumentException("need at least one replica and one count for each step");
        }
    }

    /**
     * Counts reproduced units.
     *
     * @param workers of every step
     * @param reproduced units with verdict REPRODUCED that were drawn, by the key of an auditor that is accepted; spot
     *     checks and other auditors must be left out by the caller
     */
    public static Coverage of(long steps, int workers, int requiredReplicas, Map<Sha256, Set<AuditUnit>> reproduced) {
        if (steps < 0 || steps > MAX_STEPS || workers < 1) {
            throw new IllegalArgumentException(
                    "from 0 to %d steps and at least one worker, got %d and %d".formatted(MAX_STEPS, steps, workers));
        }
        int parts = workers + 2;
        Map<Integer, int[]> auditorsByPart = new TreeMap<>();
        for (Set<AuditUnit> units : reproduced.values()) {
            addAuditor(auditorsByPart, steps, parts, units);
        }
        List<Integer> replicas = new ArrayList<>((int) steps);
        for (int step = 0; step < steps; step++) {
            int[] counts = auditorsByPart.get(step);
            int least = counts == null ? 0 : Integer.MAX_VALUE;
            for (int i = 0; counts != null && i < parts; i++) {
                least = Math.min(least, counts[i]);
            }
            replicas.add(least);
        }
        return new Coverage(steps, requiredReplicas, replicas);
    }

    public boolean covers(StepIndex step) {
        return replicasByStep.get(Math.toIntExact(step.value())) >= requiredReplicas;
    }

    public long coveredSteps() {
        return replicasByStep.stream()
                .filter(count -> count >= requiredReplicas)
                .count();
    }

    /** One auditor counts once for each part, however many of its units hold it. */
    private static void addAuditor(Map<Integer, int[]> auditorsByPart, long steps, int parts, Set<AuditUnit> units) {
        Map<Integer, BitSet> own = new TreeMap<>();
        for (AuditUnit unit : units) {
            switch (unit) {
                case AuditUnit.Gradient gradient -> {
                    if (gradient.worker().value() < parts - 2) {
                        mark(
                                own,
                                steps,
                                gradient.step().value(),
                                gradient.worker().value(),
                                1);
                    }
                }
                case AuditUnit.Reduce reduce -> mark(own, steps, reduce.step().value(), parts - 2, 1);
                case AuditUnit.Update update -> mark(own, steps, update.step().value(), parts - 1, 1);
                case AuditUnit.Step step -> mark(own, steps, step.step().value(), 0, parts);
                case AuditUnit.Segment segment -> {
                    long end = Math.min(steps, segment.steps().endStep());
                    for (long step = segment.steps().firstStep(); step < end; step++) {
                        mark(own, steps, step, 0, parts);
                    }
                }
                case AuditUnit.Init init -> {}
                case AuditUnit.Data data -> {}
                case AuditUnit.Final last -> {}
            }
        }
        own.forEach((step, marked) -> {
            int[] counts = auditorsByPart.computeIfAbsent(step, any -> new int[parts]);
            marked.stream().forEach(part -> counts[part]++);
        });
    }

    private static void mark(Map<Integer, BitSet> own, long steps, long step, int firstPart, int count) {
        if (step < steps) {
            own.computeIfAbsent((int) step, any -> new BitSet()).set(firstPart, firstPart + count);
        }
    }
}
