package org.bitwitness.cli.drill;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.train.TrainCommand;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.recorder.train.TrainConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness drill train}: what {@code train} does, with the plan's faults in it. */
@Command(
        name = "train",
        description = {
            "Train and record like `train`, with the faults of a plan that is committed in the log.",
            "The recording shows nothing of them but to a replay. Give the same command with --resume to go on."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness drill train --plan plan.json --config run.json --out run --log http://127.0.0.1:8090"
                + " --trust trust --key keys/trainer")
public final class DrillTrain extends TrainCommand {
    @Option(names = "--plan", required = true, paramLabel = "FILE", description = "What drill plan wrote.")
    private Path plan = Path.of("");

    @Override
    protected List<PlantedFault> faults(TrainConfig configuration, Descriptor descriptor)
            throws CommandFailure, AttestationException, IOException {
        DrillList drill = PlanFile.read(plan);
        DescriptorDigest found = DescriptorJson.digest(descriptor);
        if (!found.equals(drill.descriptor())) {
            throw CommandFailure.usage("%s is for a run with descriptor %s, this configuration gives %s: plan again"
                    .formatted(plan, drill.descriptor(), found));
        }
        if (!configuration.faults().isEmpty()) {
            throw CommandFailure.usage("the configuration has a key \"drill\" of its own: take it out");
        }
        if (log().isEmpty() || trust().isEmpty()) {
            throw CommandFailure.usage("a drill is trained into a log: give --log, --trust and --key");
        }
        requireCommitted(drill);
        return drill.faults();
    }

    private void requireCommitted(DrillList drill) throws CommandFailure, AttestationException {
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust().orElseThrow()));
        boolean committed = DrillLogging.survey(log().orElseThrow(), policy).stream()
                .flatMap(survey -> survey.drillCommitments().stream())
                .anyMatch(logged -> logged.statement().drill().equals(drill.commitment()));
        if (!committed) {
            throw CommandFailure.usage(
                    "commitment %s of the plan is not in this log; `bitwitness drill commit` logs it before the run"
                            .formatted(drill.commitment()));
        }
    }
}
