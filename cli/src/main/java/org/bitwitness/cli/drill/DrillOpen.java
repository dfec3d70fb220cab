package org.bitwitness.cli.drill;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.statement.DrillCommitmentStatement;
import org.bitwitness.attestation.statement.DrillOpeningStatement;
import org.bitwitness.attestation.verify.DrillFinding;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.RecordingReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness drill open}: tells in the log what was planted, after the audits. */
@Command(
        name = "open",
        description = {
            "Log which run was the drill and what was planted in it. It cannot be taken back: verdicts that are",
            "logged from now on count for nothing in the score."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness drill open --plan plan.json --run run --log http://127.0.0.1:8090 --trust trust"
                + " --key keys/drills")
final class DrillOpen extends BaseCommand {
    @Option(names = "--plan", required = true, paramLabel = "FILE", description = "What drill plan wrote.")
    private Path plan = Path.of("");

    @Option(names = "--run", required = true, paramLabel = "RUN", description = "Folder of the recording.")
    private Path run = Path.of("");

    @Mixin
    private DrillLogging logging = new DrillLogging();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        DrillList drill = PlanFile.read(plan);
        SigningKey key = logging.key();
        RecordingReader recording = RecordingReader.open(run);
        if (!recording.descriptorDigest().equals(drill.descriptor())) {
            throw CommandFailure.usage("%s is for a run with descriptor %s, %s has %s"
                    .formatted(plan, drill.descriptor(), run, recording.descriptorDigest()));
        }
        Logged<DrillCommitmentStatement> commitment = logging.survey().stream()
                .flatMap(survey -> survey.drillCommitments().stream())
                .filter(logged -> logged.statement().drill().equals(drill.commitment()))
                .filter(logged -> logged.signer().equals(key.verifyingKey()))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage(
                        "commitment %s by this key is not in the log: open with the key that committed"
                                .formatted(drill.commitment())));
        DrillOpeningStatement opening = new DrillOpeningStatement(commitment.index(), recording.runId(), drill);
        LogReceipt receipt = logging.append(opening.toStatement(), key);
        requireHolds(receipt.index());
        Json.Obj document = Json.object()
                .put("commitmentLogIndex", commitment.index())
                .put("logIndex", receipt.index())
                .put("runId", recording.runId().hex())
                .build();
        List<String> lines = List.of(
                "opened     run %s, entry %d, committed at entry %d"
                        .formatted(recording.runId(), receipt.index(), commitment.index()),
                "next: bitwitness drill score --run %s --log URL --trust DIR".formatted(run));
        return CommandResult.of(ExitCode.OK, document, lines);
    }

    /** As every reader of the log sees it. */
    private void requireHolds(long index) throws CommandFailure, AttestationException {
        LogSurvey survey = logging.survey()
                .orElseThrow(() -> CommandFailure.inconclusive("the log shows nothing of what it was just sent"));
        for (DrillFinding.Refused refused : DrillFinding.all(survey).refused()) {
            if (refused.opening().index() == index) {
                throw CommandFailure.refused(
                        "the opening is logged at entry %d and does not hold: %s".formatted(index, refused.fault()));
            }
        }
    }
}
