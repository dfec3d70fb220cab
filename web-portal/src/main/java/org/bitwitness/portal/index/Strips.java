package org.bitwitness.portal.index;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.attestation.verify.VerdictFinding;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.StepRange;
import org.bitwitness.protocol.Verdict;

/**
 * The coverage strip: one letter a step. A divergence anywhere in a step marks it, drawn or not; only drawn
 * verdicts on whole steps mark it reproduced.
 */
final class Strips {
    private static final int MAX_STEPS = 100_000;

    private Strips() {}

    static String of(long steps, List<VerdictFinding> verdicts) {
        char[] marks = new char[(int) Math.min(steps, MAX_STEPS)];
        Arrays.fill(marks, '.');
        mark(marks, verdicts, Verdict.INCONCLUSIVE, 'I');
        mark(marks, verdicts, Verdict.REPRODUCED, 'R');
        mark(marks, verdicts, Verdict.DIVERGED, 'D');
        return new String(marks);
    }

    private static void mark(char[] marks, List<VerdictFinding> verdicts, Verdict verdict, char mark) {
        for (VerdictFinding finding : verdicts) {
            boolean counts = switch (verdict) {
                case REPRODUCED -> finding.covers() && holdsWholeSteps(finding.unit());
                case DIVERGED -> finding.fails();
                case INCONCLUSIVE -> finding.auditor().isPresent() && finding.verdict() == verdict;
            };
            if (counts) {
                fill(marks, finding.unit(), mark);
            }
        }
    }

    private static boolean holdsWholeSteps(AuditUnit unit) {
        return unit instanceof AuditUnit.Step || unit instanceof AuditUnit.Segment;
    }

    private static void fill(char[] marks, AuditUnit unit, char mark) {
        switch (unit) {
            case AuditUnit.Gradient gradient ->
                fill(marks, gradient.step().value(), gradient.step().value() + 1, mark);
            case AuditUnit.Reduce reduce ->
                fill(marks, reduce.step().value(), reduce.step().value() + 1, mark);
            case AuditUnit.Update update ->
                fill(marks, update.step().value(), update.step().value() + 1, mark);
            case AuditUnit.Step step ->
                fill(marks, step.step().value(), step.step().value() + 1, mark);
            case AuditUnit.Segment segment -> {
                StepRange range = segment.steps();
                fill(marks, range.firstStep(), range.endStep(), mark);
            }
            case AuditUnit.Init init -> {}
            case AuditUnit.Data data -> {}
            case AuditUnit.Final last -> {}
        }
    }

    private static void fill(char[] marks, long from, long end, char mark) {
        for (long step = from; step < Math.min(end, marks.length); step++) {
            marks[(int) step] = mark;
        }
    }
}
