package org.bitwitness.cli.store;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.bitwitness.cli.run.fetch.RecordingSource;
import org.bitwitness.cli.run.fetch.Sources;
import org.bitwitness.cli.store.objects.AddRun;
import org.bitwitness.cli.store.objects.ObjectStore;
import org.bitwitness.cli.store.objects.Stores;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.ProtocolException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness store add}. */
@Command(
        name = "add",
        description = "Copy what a recording's commitments list into a store; the store is made if there is none.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness store add demo-out/run --store runs",
            "  bitwitness store add demo-out/run --store s3a://bucket/runs"
        })
final class StoreAdd extends BaseCommand {
    @Parameters(paramLabel = "RUN", description = "Folder of a recording, or its URL.")
    private String run;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--reread",
            description =
                    "Read files that the store has already, and replace those whose bytes are not what they were.")
    private boolean reread;

    @Override
    protected Set<RuntimeNeed> needs() {
        return EnumSet.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, IOException, ProtocolException {
        try (RecordingSource source = Sources.named(run);
                ObjectStore objects = Stores.openOrMake(store.place())) {
            AddRun.Result added = new AddRun(objects, next -> Thread.sleep(200L << next), io::note).run(source, reread);
            return CommandResult.ok(
                    added,
                    "run %s, %d steps: %d files of %d bytes, %d of them new in %s (%d bytes)"
                            .formatted(
                                    added.runId(),
                                    added.steps(),
                                    added.files(),
                                    added.bytes(),
                                    added.newObjects(),
                                    objects.describe(),
                                    added.newBytes()));
        }
    }
}
