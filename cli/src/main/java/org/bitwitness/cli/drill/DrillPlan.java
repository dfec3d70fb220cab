package org.bitwitness.cli.drill;

import java.nio.file.Path;
import java.security.SecureRandom;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.train.TrainingFile;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.recorder.train.TrainConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness drill plan}: draws the faults of a drill in secret. */
@Command(
        name = "plan",
        description = {
            "Draw faults for a run in secret and write them, with a salt, to a file that only you can read.",
            "Nothing is printed about them. With 0 faults the run is an honest one that could have been a drill."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness drill plan --config run.json --faults 3 --out plan.json")
final class DrillPlan extends BaseCommand {
    @Option(names = "--config", required = true, paramLabel = "FILE", description = "Configuration of the run.")
    private Path config = Path.of("");

    @Option(names = "--faults", required = true, paramLabel = "N", description = "How many faults to plant.")
    private int faults;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The plan: keep it until the opening.")
    private Path out = Path.of("");

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        TrainingFile file = new TrainingFile(config);
        TrainConfig configuration = file.read();
        if (!configuration.faults().isEmpty()) {
            throw CommandFailure.usage(
                    config + " has a key \"drill\" of its own: take it out, the plan plants the faults");
        }
        Descriptor descriptor = file.descriptor(configuration, file.dataset(configuration));
        SecureRandom random = new SecureRandom();
        byte[] salt = new byte[Sha256.BYTES];
        random.nextBytes(salt);
        DrillList drill = new DrillList(
                DescriptorJson.digest(descriptor), new FaultDraw(descriptor, random).draw(faults), Sha256.of(salt));
        PlanFile.write(out, drill);
        Json.Obj document = Json.object()
                .put("drillCommitment", drill.commitment().hex())
                .put("faults", drill.faults().size())
                .put("plan", out.toString())
                .build();
        return CommandResult.ok(
                document,
                "%d faults for a run with descriptor %s"
                        .formatted(drill.faults().size(), drill.descriptor()),
                "commitment %s".formatted(drill.commitment()),
                "next: bitwitness drill commit --plan %s --log URL --trust DIR --key DIR".formatted(out));
    }
}
