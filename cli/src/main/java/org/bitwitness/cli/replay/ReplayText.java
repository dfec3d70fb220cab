package org.bitwitness.cli.replay;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.replayer.CommittedRun;

/** A report as an auditor reads it: the verdict first, then what it rests on, then how to repeat it. */
final class ReplayText {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./+:@%=,-]+");

    /** How it was replayed: threads, and the options that say it all. */
    record Options(int threads, String words) {}

    private ReplayText() {}

    /** @param options what was asked to compute, as options that ask the same again */
    static List<String> lines(ReplayReport report, CommittedRun run, Path folder, Options options) {
        List<String> lines = new ArrayList<>();
        lines.add("@|bold %s  %s|@".formatted(report.unit().text(), verdict(report)));
        lines.add("  checked    " + checked(report.unit()));
        lines.add("  of         " + run);
        lines.add("  against    commitment " + run.commitment().digest());
        if (report.verdict() != Verdict.INCONCLUSIVE || report.firstDifference().isPresent()) {
            lines.add("  expected   " + report.expectedRoot());
            lines.add("  computed   " + report.computedRoot());
        }
        report.firstDifference().ifPresent(difference -> difference(lines, difference));
        if (report.verdict() == Verdict.INCONCLUSIVE) {
            report.reason().ifPresent(reason -> lines.add("  because    " + reason));
            lines.add("             This accuses nobody: nothing was decided.");
        }
        lines.add("  on         %s, %d threads, profile %s%s"
                .formatted(report.backend(), options.threads(), report.profile(), confirmed(report)));
        lines.add(String.format(
                Locale.ROOT,
                "  work       %d steps replayed, %d tokens in %.1f s (%d tokens/s)",
                report.stepsReplayed(),
                report.tokens(),
                report.wall().toMillis() / 1000.0,
                report.tokens() * 1000 / Math.max(1, report.wall().toMillis())));
        lines.add("  repeat     bitwitness replay %s --unit \"%s\" %s --commitment %s"
                .formatted(
                        word(folder),
                        report.unit().text(),
                        options.words(),
                        run.commitment().digest()));
        return lines;
    }

    private static String checked(AuditUnit unit) {
        return switch (unit) {
            case AuditUnit.Init _ -> "the initial state follows from the descriptor";
            case AuditUnit.Data data -> "the tokens of %s follow from its documents".formatted(data.shard());
            case AuditUnit.Gradient g -> "gradient and loss of worker %s in step %s".formatted(g.worker(), g.step());
            case AuditUnit.Reduce reduce ->
                "all gradients of step %s, and what combining them gives".formatted(reduce.step());
            case AuditUnit.Update update -> "the state that the update of step %s gives".formatted(update.step());
            case AuditUnit.Step step -> "all gradients, the reduction and the update of step %s".formatted(step.step());
            case AuditUnit.Segment segment ->
                "all gradients, reductions and updates of steps %d to %d"
                        .formatted(segment.steps().firstStep(), segment.steps().endStep() - 1);
            case AuditUnit.Final _ -> "the released files follow from the final state";
        };
    }

    /** As a shell takes it for one word. */
    private static String word(Path folder) {
        String text = folder.toString();
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    private static String verdict(ReplayReport report) {
        return switch (report.verdict()) {
            case REPRODUCED -> "REPRODUCED: every bit is as recorded";
            case DIVERGED -> "DIVERGED (%s)".formatted(report.grade().orElseThrow());
            case INCONCLUSIVE -> "INCONCLUSIVE";
        };
    }

    private static void difference(List<String> lines, FirstDifference difference) {
        lines.add("  first difference: " + difference.place());
        difference.expectedBits().ifPresent(bits -> lines.add("    recorded bits  " + bits));
        difference.computedBits().ifPresent(bits -> lines.add("    computed bits  " + bits));
        difference.note().ifPresent(note -> lines.add("    " + note));
    }

    private static String confirmed(ReplayReport report) {
        return report.confirmedBy()
                .map(by -> switch (by.result()) {
                    case SAME -> "; repeated on " + by.backend() + " with the same bits";
                    case OTHER -> "; " + by.backend() + " computed other bits";
                })
                .orElse("");
    }
}
