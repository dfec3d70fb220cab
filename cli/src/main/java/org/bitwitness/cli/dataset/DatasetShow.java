package org.bitwitness.cli.dataset;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Printable;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.DatasetManifest;
import org.bitwitness.datasets.Sample;
import org.bitwitness.datasets.SampleForm;
import org.bitwitness.datasets.ShardEntry;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness dataset show}: the manifest in words, or one sample. */
@Command(
        name = "show",
        description = "Show the manifest and the commitment, one sample, or what a worker read in a step.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness dataset show data",
            "  bitwitness dataset show data --sample 17 --context 128",
            "  bitwitness dataset show run --step 17 --worker 2"
        })
final class DatasetShow extends BaseCommand {
    @Parameters(paramLabel = "DIR", description = "The dataset folder; with --step, the folder of a recording.")
    private Path folder;

    @Option(names = "--sample", paramLabel = "ID", description = "Show this sample's tokens and text.")
    private Optional<Long> sample = Optional.empty();

    @Option(names = "--step", paramLabel = "T", description = "Show what a worker read in this step of the recording.")
    private Optional<Long> step = Optional.empty();

    @Option(names = "--worker", paramLabel = "W", description = "The worker, with --step.")
    private Optional<Integer> worker = Optional.empty();

    @Option(
            names = "--context",
            paramLabel = "T",
            defaultValue = "128",
            description = "Tokens of a sample (default: ${DEFAULT-VALUE}).")
    private int context;

    @Override
    protected Set<RuntimeNeed> needs() {
        return EnumSet.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, DatasetException, ProtocolException {
        if (context < 1 || sample.orElse(0L) < 0) {
            throw CommandFailure.usage("--context is at least 1 and --sample at least 0");
        }
        if (step.isPresent() != worker.isPresent() || (step.isPresent() && sample.isPresent())) {
            throw CommandFailure.usage("--step and --worker come together, and not with --sample");
        }
        if (step.isPresent()) {
            if (step.get() < 0 || worker.get() < 0) {
                throw CommandFailure.usage("--step and --worker are not negative");
            }
            return WorkerReads.show(folder, new StepIndex(step.get()), new WorkerId(worker.get()));
        }
        try (Dataset dataset = Dataset.open(folder)) {
            return sample.isPresent() ? sample(dataset, sample.get()) : manifest(dataset.manifest());
        }
    }

    private CommandResult manifest(DatasetManifest manifest) {
        List<String> lines = new ArrayList<>();
        lines.add("name       " + manifest.name());
        lines.add("licence    " + (manifest.licence().isEmpty() ? "not stated" : manifest.licence()));
        lines.add("tokenizer  %s, %d ids, digest %s"
                .formatted(
                        manifest.tokenizer().kind(),
                        manifest.tokenizer().vocab(),
                        manifest.tokenizer().digest()));
        lines.add("documents  %d, %d tokens, %d samples of %d tokens"
                .formatted(
                        manifest.documentCount(),
                        manifest.tokenCount(),
                        manifest.sampleCount(SampleForm.running(context)),
                        context));
        for (ShardEntry shard : manifest.shards()) {
            lines.add("%s  %d documents (%s to %s), %d tokens, root %s"
                    .formatted(
                            shard.name(),
                            shard.documents().size(),
                            shard.documents().getFirst().name(),
                            shard.documents().getLast().name(),
                            shard.tokens(),
                            shard.tokenRoot()));
        }
        lines.add("root       " + manifest.root());
        return CommandResult.of(
                ExitCode.OK,
                DatasetSummary.of(manifest),
                lines.stream().map(Printable::unmarked).toList());
    }

    private CommandResult sample(Dataset dataset, long id) throws CommandFailure, DatasetException {
        long count = dataset.sampleCount(context);
        if (id >= count) {
            throw CommandFailure.usage(
                    "there is no sample %d: the dataset has %d of %d tokens".formatted(id, count, context));
        }
        Sample found = dataset.sample(context, id);
        String text = new String(dataset.tokenizer().decode(found.ids()), StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        lines.add("sample %d of %d".formatted(id, count));
        text.lines().map(Printable::unmarked).forEach(lines::add);
        return CommandResult.of(
                ExitCode.OK,
                Map.of("sample", id, "context", context, "ids", found.ids(), "targets", found.targets(), "text", text),
                lines);
    }
}
