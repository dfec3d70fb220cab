package org.bitwitness.cli.dataset;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.Home;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.DatasetManifest;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.source.DemoCorpus;
import org.bitwitness.datasets.source.DocumentSet;
import org.bitwitness.datasets.source.JsonLines;
import org.bitwitness.datasets.source.TextFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness dataset build}: documents in, a dataset folder out. */
@Command(
        name = "build",
        description = "Turn text into committed shards.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness dataset build --out data texts/",
            "  bitwitness dataset build --out data --field body posts.jsonl",
            "  bitwitness dataset build --out data --demo"
        })
final class DatasetBuild extends BaseCommand {
    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder to make; must not exist.")
    private Path out;

    @Parameters(
            arity = "0..*",
            paramLabel = "PATH",
            description = "Text files, folders of text files, and .jsonl files (one JSON object a line).")
    private List<Path> paths = List.of();

    @Option(names = "--demo", description = "Use the text that the demo trains on: the Java files of Commons Lang.")
    private boolean demo;

    @Option(
            names = "--field",
            paramLabel = "NAME",
            defaultValue = "text",
            description = "Member of a JSON line that holds the text (default: ${DEFAULT-VALUE}).")
    private String field;

    @Option(names = "--name", paramLabel = "NAME", description = "Name of the dataset (default: name of DIR).")
    private Optional<String> name = Optional.empty();

    @Option(names = "--licence", paramLabel = "SPDX", description = "Licence of the text, as an SPDX expression.")
    private Optional<String> licence = Optional.empty();

    @Option(
            names = "--tokens-per-shard",
            paramLabel = "N",
            description = "Close a shard once it has N tokens (default: 1048576). Documents are never cut.")
    private long tokensPerShard = DatasetOptions.DEFAULT_TOKENS_PER_SHARD;

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, DatasetException {
        if (demo == !paths.isEmpty()) {
            throw CommandFailure.usage("name the texts to read, or --demo for the demo's, and not both");
        }
        if (tokensPerShard < 1) {
            throw CommandFailure.usage("--tokens-per-shard is at least 1, got " + tokensPerShard);
        }
        if (Files.exists(out)) {
            throw CommandFailure.usage(out + " exists: name a folder that does not");
        }
        DocumentSet set = read();
        String datasetName = name.orElse(demo ? DemoCorpus.NAME : String.valueOf(out.getFileName()));
        DatasetManifest manifest = DatasetBuilder.build(
                set.documents(),
                new DatasetOptions(
                        datasetName, licence.orElse(demo ? DemoCorpus.LICENCE : ""), set.sources(), tokensPerShard),
                out);
        String empty = set.emptyDocuments() == 0 ? "" : " (" + set.emptyDocuments() + " of them empty)";
        return CommandResult.ok(
                DatasetSummary.of(manifest, set.emptyDocuments()),
                "dataset %s: %d documents%s, %d tokens, %d shards, root %s"
                        .formatted(
                                out,
                                manifest.documentCount(),
                                empty,
                                manifest.tokenCount(),
                                manifest.shards().size(),
                                manifest.root()));
    }

    private DocumentSet read() throws CommandFailure, DatasetException {
        if (demo) {
            return DemoCorpus.read(DemoCorpus.jarBelow(Home.folder()));
        }
        List<DocumentSet> sets = new ArrayList<>();
        for (Path path : paths) {
            boolean lines = Files.isRegularFile(path) && path.toString().endsWith(".jsonl");
            sets.add(lines ? JsonLines.read(path, field) : TextFiles.read(path));
        }
        return sets.stream().reduce(DocumentSet::and).orElseThrow();
    }
}
