package org.bitwitness.cli.drill;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.DrillFinding;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.format.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness drill verify}: do the openings in a log match commitments that came before their runs? */
@Command(
        name = "verify",
        description = {
            "Check every opening in a log: same key, commitment and list as before the run began.",
            "It needs no recording, and so says nothing about whether the faults are there; `drill score` does.",
            "Exit 0: all openings hold; 2: one does not; 3: there is none, or the log has holes."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness drill verify --log log --trust trust")
final class DrillVerify extends BaseCommand {
    @Option(names = "--log", required = true, paramLabel = "URL|DIR", description = "The log.")
    private String log = "";

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust));
        LogSurvey survey = LogSurvey.read(LogReader.open(LogSources.at(log), policy.witnesses()), policy);
        DrillFinding.All all = DrillFinding.all(survey);
        List<String> lines = new ArrayList<>();
        List<ExitCode> codes = new ArrayList<>();
        List<Json> held = new ArrayList<>();
        List<Json> refused = new ArrayList<>();
        for (DrillFinding drill : all.held()) {
            codes.add(ExitCode.OK);
            held.add(DrillText.document(drill));
            lines.add(DrillText.headline(drill));
        }
        for (DrillFinding.Refused opening : all.refused()) {
            codes.add(ExitCode.REFUSED);
            refused.add(DrillText.document(opening));
            lines.add("entry %d REFUSED: %s".formatted(opening.opening().index(), opening.fault()));
        }
        lines.add("%d of %d openings hold; %d drills are committed"
                .formatted(
                        held.size(),
                        held.size() + refused.size(),
                        survey.drillCommitments().size()));
        Json.Obj document = Json.object()
                .put("held", new Json.Arr(held))
                .put("refused", new Json.Arr(refused))
                .put("committed", survey.drillCommitments().size())
                .build();
        return CommandResult.of(ExitCode.worstOf(codes), document, lines);
    }
}
