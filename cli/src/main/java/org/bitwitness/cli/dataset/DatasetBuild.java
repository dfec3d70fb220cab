package org.bitwitness.cli.dataset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.Home;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.datasets.ByteTokenizer;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.DatasetManifest;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.Gpt2Bpe;
import org.bitwitness.datasets.JsonTokenizer;
import org.bitwitness.datasets.TokenIds;
import org.bitwitness.datasets.TokenWidth;
import org.bitwitness.datasets.Tokenizer;
import org.bitwitness.datasets.arrow.ArrowFolder;
import org.bitwitness.datasets.source.DemoCorpus;
import org.bitwitness.datasets.source.DocumentSet;
import org.bitwitness.datasets.source.JsonLines;
import org.bitwitness.datasets.source.ParquetFiles;
import org.bitwitness.datasets.source.TextFiles;
import org.bitwitness.datasets.source.TokenFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness dataset build}: documents in, a dataset folder out. */
@Command(
        name = "build",
        description = "Turn text or token ids into committed shards.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness dataset build --out data --tokenizer gpt2 hf-folder/ more.parquet",
            "  bitwitness dataset build --out data --vocab 50257 --end-of-text 50256 train.bin",
            "  bitwitness dataset build --out data texts/",
            "  bitwitness dataset build --out data --part wiki=wiki.parquet --part code=src/",
            "  bitwitness dataset build --out data --field body posts.jsonl",
            "  bitwitness dataset build --out data --demo"
        })
final class DatasetBuild extends BaseCommand {
    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder to make; must not exist.")
    private Path out;

    @Parameters(
            arity = "0..*",
            paramLabel = "PATH",
            description = "Text files and folders of them; .jsonl (one JSON object a line); .parquet; folders that the"
                    + " Hugging Face library saved, and .arrow files of such; .bin files of token ids (nanoGPT,"
                    + " llm.c).")
    private List<Path> paths = List.of();

    @Option(
            names = "--part",
            paramLabel = "NAME=PATH",
            description = "Like PATH, but its documents are named NAME/… so that a mixture can give them a share;"
                    + " repeatable.")
    private Map<String, Path> parts = new LinkedHashMap<>();

    @Option(names = "--demo", description = "Use the text that the demo trains on: the Java files of Commons Lang.")
    private boolean demo;

    @Option(
            names = "--field",
            paramLabel = "NAME",
            defaultValue = "text",
            description = "Member or column that holds the text (default: ${DEFAULT-VALUE}).")
    private String field;

    @Option(names = "--without", paramLabel = "COLUMN", description = "Column of a table to leave out; repeatable.")
    private Set<String> without = Set.of();

    @Option(
            names = "--tokenizer",
            paramLabel = "NAME|FILE",
            defaultValue = "bytes",
            description = "bytes, gpt2, or a tokenizer.json (default: ${DEFAULT-VALUE}).")
    private String tokenizer;

    @Option(
            names = "--end-of-text",
            paramLabel = "TOKEN|ID",
            description = "What ends a document: the text of a token, or its id for token files.")
    private Optional<String> endOfText = Optional.empty();

    @Option(names = "--vocab", paramLabel = "N", description = "Number of ids, for .bin files.")
    private Optional<Integer> vocab = Optional.empty();

    @Option(
            names = "--token-width",
            paramLabel = "u16|u32",
            defaultValue = "u16",
            description = "Ids of .bin files without a header (default: ${DEFAULT-VALUE}).")
    private String tokenWidth;

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
    protected Set<RuntimeNeed> needs() {
        return EnumSet.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, DatasetException {
        if (demo == !(paths.isEmpty() && parts.isEmpty())) {
            throw CommandFailure.usage("name the texts to read, or --demo for the demo's, and not both");
        }
        if (tokensPerShard < 1) {
            throw CommandFailure.usage("--tokens-per-shard is at least 1, got " + tokensPerShard);
        }
        if (Files.exists(out)) {
            throw CommandFailure.usage(out + " exists: name a folder that does not");
        }
        try (Tokenizer opened = tokenizer()) {
            return build(read(opened), opened);
        }
    }

    private CommandResult build(DocumentSet set, Tokenizer opened) throws DatasetException {
        String datasetName = name.orElse(demo ? DemoCorpus.NAME : String.valueOf(out.getFileName()));
        DatasetManifest manifest = DatasetBuilder.build(
                set.documents(),
                new DatasetOptions(
                        datasetName,
                        licence.orElse(demo ? DemoCorpus.LICENCE : ""),
                        set.sources(),
                        tokensPerShard,
                        opened),
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

    private DocumentSet read(Tokenizer opened) throws CommandFailure, DatasetException {
        if (demo) {
            return DemoCorpus.read(DemoCorpus.jarBelow(Home.folder()));
        }
        List<DocumentSet> sets = new ArrayList<>();
        for (Path path : paths) {
            sets.add(read(path, opened));
        }
        for (Map.Entry<String, Path> part : parts.entrySet()) {
            Optional<String> problem = Document.nameProblem(part.getKey());
            if (problem.isPresent()) {
                throw CommandFailure.usage("--part: " + problem.get());
            }
            sets.add(read(part.getValue(), opened).below(part.getKey()));
        }
        return sets.stream().reduce(DocumentSet::and).orElseThrow();
    }

    private DocumentSet read(Path path, Tokenizer opened) throws CommandFailure, DatasetException {
        String name = String.valueOf(path.getFileName());
        if (Files.isDirectory(path)) {
            return ArrowFolder.is(path) ? ArrowFolder.read(path, field, without) : TextFiles.read(path);
        }
        if (isIds(path)) {
            TokenWidth width = TokenWidth.ofText(tokenWidth)
                    .orElseThrow(() -> CommandFailure.usage("--token-width is u16 or u32, got " + tokenWidth));
            return TokenFiles.read(path, opened.spec(), width);
        }
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "jsonl" -> JsonLines.read(path, field);
            case "parquet" -> ParquetFiles.read(path, field, without);
            case "arrow" -> ArrowFolder.readFile(path, field, without);
            default -> TextFiles.read(path);
        };
    }

    private static boolean isIds(Path path) {
        return Files.isRegularFile(path) && path.toString().endsWith(".bin");
    }

    /** Files of ids need no tokenizer, and cannot stand beside text that does. */
    private Tokenizer tokenizer() throws CommandFailure, DatasetException {
        List<Path> all = new ArrayList<>(paths);
        all.addAll(parts.values());
        long ids = all.stream().filter(DatasetBuild::isIds).count();
        if (ids == 0) {
            return switch (tokenizer) {
                case "bytes" -> ByteTokenizer.INSTANCE;
                case "gpt2" -> Gpt2Bpe.tokenizer();
                default -> JsonTokenizer.of(tokenizerFile(), endOfText);
            };
        }
        if (ids < all.size() || vocab.isEmpty() || endOfText.isEmpty()) {
            throw CommandFailure.usage(
                    ".bin files hold ids: give them alone, with --vocab and the number of --end-of-text");
        }
        try {
            return new TokenIds(vocab.get(), Integer.parseInt(endOfText.get()));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--vocab and --end-of-text: " + e.getMessage());
        }
    }

    private byte[] tokenizerFile() throws CommandFailure {
        try {
            return Files.readAllBytes(Path.of(tokenizer));
        } catch (IOException | InvalidPathException e) {
            throw CommandFailure.usage(
                    "--tokenizer is bytes, gpt2 or a tokenizer.json that can be read, got " + tokenizer);
        }
    }
}
