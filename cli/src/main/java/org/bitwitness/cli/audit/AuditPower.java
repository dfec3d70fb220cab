package org.bitwitness.cli.audit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.protocol.audit.DetectionPower;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness audit power}: how likely some audits are to hit some bad steps. */
@Command(
        name = "power",
        description = "Probability that audits drawn at random hit at least one bad step.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit power --steps 80957 --bad 810 --audits 300")
final class AuditPower extends BaseCommand {
    private static final double USUAL = 0.95;

    @Option(names = "--steps", required = true, paramLabel = "N", description = "Units that are drawn from.")
    private long steps;

    @Option(names = "--bad", required = true, paramLabel = "b", description = "Bad ones among them.")
    private long bad;

    @Option(names = "--audits", required = true, paramLabel = "k", description = "Units that are audited.")
    private long audits;

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        if (steps < 1 || bad < 0 || bad > steps || audits < 0 || audits > steps) {
            throw CommandFailure.usage("need --steps at least 1, --bad and --audits from 0 to --steps; got %d, %d, %d"
                    .formatted(steps, bad, audits));
        }
        double power = DetectionPower.hit(steps, bad, audits);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("steps", steps);
        document.put("bad", bad);
        document.put("audits", audits);
        document.put("power", power);
        String enough = "";
        if (bad > 0) {
            long needed = DetectionPower.auditsFor(steps, bad, USUAL);
            document.put("auditsFor95Percent", needed);
            enough = "; 95 %% needs %d".formatted(needed);
        }
        String line = String.format(
                Locale.ROOT,
                "%d audits of %d hit at least one of %d bad with probability %.6f%s",
                audits,
                steps,
                bad,
                power,
                enough);
        return CommandResult.of(org.bitwitness.cli.support.ExitCode.OK, document, List.of(line));
    }
}
