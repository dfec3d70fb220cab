package org.bitwitness.cli.drill;

import java.nio.file.Path;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.statement.DrillCommitmentStatement;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.format.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness drill commit}: the salted commitment goes into the log, before the run begins. */
@Command(
        name = "commit",
        description = {
            "Log that a run which begins later is a drill; the entry names neither run nor faults.",
            "Do it well before the run: what follows at once is easily guessed to be the drill."
        },
        footerHeading = "%nExample:%n",
        footer =
                "  bitwitness drill commit --plan plan.json --log http://127.0.0.1:8090 --trust trust --key keys/drills")
final class DrillCommit extends BaseCommand {
    @Option(names = "--plan", required = true, paramLabel = "FILE", description = "What drill plan wrote.")
    private Path plan = Path.of("");

    @Mixin
    private DrillLogging logging = new DrillLogging();

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        DrillList drill = PlanFile.read(plan);
        SigningKey key = logging.key();
        boolean begun = logging.survey().stream()
                .flatMap(survey -> survey.commitments().stream())
                .flatMap(logged -> logged.statement().commitment().open().stream())
                .anyMatch(open -> open.descriptorDigest().equals(drill.descriptor()));
        if (begun) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "a run with descriptor %s has begun in this log: plan another, with another seed"
                            .formatted(drill.descriptor()));
        }
        LogReceipt receipt = logging.append(new DrillCommitmentStatement(drill.commitment()).toStatement(), key);
        Json.Obj document = Json.object()
                .put("drillCommitment", drill.commitment().hex())
                .put("logIndex", receipt.index())
                .build();
        return CommandResult.ok(
                document,
                "logged     commitment %s, entry %d".formatted(drill.commitment(), receipt.index()),
                "next: bitwitness drill train --plan %s --config FILE --out RUN --log URL --trust DIR --key DIR"
                        .formatted(plan));
    }
}
