package org.bitwitness.cli.audit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.challenge.ChallengeDraw;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Passphrases;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.audit.DetectionPower;
import org.bitwitness.protocol.audit.UnitPopulation;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.scheduler.AuditTarget;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness audit plan}: what an audit of a commitment would draw from, and how much it would show. */
@Command(
        name = "plan",
        description = {
            "Show what an audit would draw from, and how much it would show. Logs nothing.",
            "With --key the draw is shown too. It is the only one this key can have, so seeing it early changes"
                    + " nothing."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit plan --run demo-out/run --log demo-out/log --trust demo-out/trust")
final class AuditPlan extends BaseCommand {
    private static final List<Double> BAD_SHARES = List.of(0.01, 0.05, 0.1, 0.25);

    @Option(names = "--run", required = true, paramLabel = "RUN", description = "Folder of the recording.")
    private Path run = Path.of("");

    @Option(names = "--log", required = true, paramLabel = "URL|DIR", description = "The log.")
    private String log = "";

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Option(names = "--key", paramLabel = "DIR", description = "An auditor's key folder: show its draw.")
    private Optional<Path> key = Optional.empty();

    @Mixin
    private BeaconOptions beacon = new BeaconOptions();

    @Option(names = "--auditors", paramLabel = "N", description = "Auditors to plan for. Default: 1.")
    private int auditors = 1;

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust));
        LogSurvey survey = LogSurvey.read(LogReader.open(LogSources.at(log), policy.witnesses()), policy);
        AuditTarget target = AuditTarget.find(run, survey);
        beacon.require(target.policy().beaconMode());
        return show(policy, target);
    }

    private CommandResult show(TrustPolicy policy, AuditTarget target) throws AttestationException, CommandFailure {
        UnitPopulation population = target.population();
        long audits = Math.min(
                population.size(),
                (long) Math.max(1, auditors) * target.policy().unitsPerAuditor());
        Json.Builder out = Json.object()
                .put("runId", target.commitment().runId().hex())
                .put("commitment", target.commitment().sequence())
                .put("commitmentLogIndex", target.logged().index())
                .put("population", target.policy().population())
                .put("units", population.size())
                .put("unitsPerAuditor", target.policy().unitsPerAuditor())
                .put("minimumReplicas", target.policy().minimumReplicas())
                .put("beaconMode", target.policy().beaconMode().text())
                .put("audits", audits);
        List<String> lines = new ArrayList<>();
        lines.add("run %s, commitment %d, log entry %d"
                .formatted(
                        target.commitment().runId(),
                        target.commitment().sequence(),
                        target.logged().index()));
        lines.add("%s: %d units to draw from, %d for each auditor, beacon %s"
                .formatted(
                        target.policy().population(),
                        population.size(),
                        target.policy().unitsPerAuditor(),
                        target.policy().beaconMode().text()));
        powers(population.size(), audits, out, lines);
        if (key.isPresent()) {
            SigningKey own = CommandFailure.own(() -> new KeyFolder(key.get()).signingKey(Passphrases.ask()));
            List<String> units = draw(policy, target, own);
            out.put("drawn", Json.texts(units));
            lines.add("this key draws " + String.join(" ", units));
        }
        return CommandResult.of(ExitCode.OK, out.build(), lines);
    }

    private static void powers(long population, long audits, Json.Builder out, List<String> lines) {
        List<Json> powers = new ArrayList<>();
        for (double share : BAD_SHARES) {
            long bad = Math.max(1, Math.round(share * population));
            double power = DetectionPower.hit(population, bad, audits);
            powers.add(Json.object().put("bad", bad).put("power", power).build());
            lines.add(String.format(
                    Locale.ROOT, "  %d audits hit one of %d bad units with probability %.4f", audits, bad, power));
        }
        out.put("detectionPower", new Json.Arr(powers));
    }

    private List<String> draw(TrustPolicy policy, AuditTarget target, SigningKey auditor) throws AttestationException {
        return ChallengeDraw.draw(target.placed(), target.open(), auditor, policy, beacon.rounds()).units().stream()
                .map(AuditUnit::text)
                .toList();
    }
}
