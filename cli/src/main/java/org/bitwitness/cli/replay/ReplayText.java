package org.bitwitness.cli.replay;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.replayer.CommittedRun;

/** A report as an auditor reads it: the verdict first, then what it rests on, then how to repeat it. */
final class ReplayText {
    private ReplayText() {}

    static List<String> lines(ReplayReport report, CommittedRun run, Path folder, int threads) {
        List<String> lines = new ArrayList<>();
        lines.add("@|bold %s  %s|@".formatted(report.unit().text(), word(report)));
        lines.add("  of         " + run);
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
                .formatted(report.backend(), threads, report.profile(), confirmed(report)));
        lines.add(String.format(
                Locale.ROOT,
                "  work       %d steps replayed, %d tokens in %.1f s (%d tokens/s)",
                report.stepsReplayed(),
                report.tokens(),
                report.wall().toMillis() / 1000.0,
                report.tokens() * 1000 / Math.max(1, report.wall().toMillis())));
        lines.add("  repeat     bitwitness replay %s --unit \"%s\" --backend %s"
                .formatted(folder, report.unit().text(), report.backend()));
        return lines;
    }

    private static String word(ReplayReport report) {
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
