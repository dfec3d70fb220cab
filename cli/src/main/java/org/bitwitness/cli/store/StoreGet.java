package org.bitwitness.cli.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.cli.run.fetch.Fetch;
import org.bitwitness.cli.store.objects.ObjectStore;
import org.bitwitness.cli.store.objects.StoredRun;
import org.bitwitness.cli.store.objects.Stores;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.ProtocolException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness store get}. */
@Command(
        name = "get",
        description = "Copy a run out of a store into a folder of its own, and verify it there.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness store get 8eeb0b84 --store runs --out run-copy")
final class StoreGet extends BaseCommand {
    @Parameters(paramLabel = "RUN", description = "The run's name, or enough of its first digits.")
    private String run;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder to copy to; may be half full.")
    private Path out;

    @Override
    protected Set<RuntimeNeed> needs() {
        return EnumSet.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io)
            throws CommandFailure, IOException, ProtocolException, DatasetException, AttestationException {
        try (ObjectStore objects = Stores.open(store.place())) {
            StoredRun stored = objects.run(run);
            Fetch.Result result =
                    new Fetch(stored, out, next -> Thread.sleep(200L << next), io::note).run(Optional.empty());
            RunChecks.Report report = new RunChecks(Optional.empty(), Optional.empty(), _ -> {}).run(out);
            List<String> wrong = report.results().stream()
                    .flatMap(check -> check.differences().stream())
                    .map(difference -> difference.message())
                    .toList();
            if (!report.passed()) {
                throw CommandFailure.refused("%s is in %s and is not what it commits to: %s; see run verify %s"
                        .formatted(stored.describe(), out, String.join("; ", wrong), out));
            }
            return CommandResult.ok(
                    result,
                    "run %s: %d files copied to %s (%d bytes), %d were there; verified without replay"
                            .formatted(stored.runId(), result.copied(), out, result.copiedBytes(), result.present()));
        }
    }
}
