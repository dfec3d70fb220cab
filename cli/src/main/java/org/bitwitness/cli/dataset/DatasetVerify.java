package org.bitwitness.cli.dataset;

import java.nio.file.Path;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code bitwitness dataset verify}: every document, every token and every file against the root. */
@Command(
        name = "verify",
        description = "Check every shard against the manifest.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dataset verify data")
final class DatasetVerify extends BaseCommand {
    @Parameters(paramLabel = "DIR", description = "The dataset folder, or the dataset folder of a recording.")
    private Path folder;

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, DatasetException {
        try (Dataset dataset = Dataset.open(folder)) {
            dataset.verify();
            return CommandResult.ok(
                    DatasetSummary.of(dataset.manifest()),
                    "dataset %s verified: %d documents give the %d tokens of root %s"
                            .formatted(
                                    folder,
                                    dataset.manifest().documentCount(),
                                    dataset.manifest().tokenCount(),
                                    dataset.root()));
        } catch (DatasetException e) {
            if (e.blamesTheBytes()) {
                throw CommandFailure.refused(e.getMessage());
            }
            throw e;
        }
    }
}
