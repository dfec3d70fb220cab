package org.bitwitness.datasets;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.Utf8Order;

/** Makes a dataset folder from documents: shards of ids, the documents themselves, the manifest. */
public final class DatasetBuilder {
    private DatasetBuilder() {}

    /**
     * Builds a dataset. The documents may come in any order; the folder appears in one piece, or
     * not at all.
     *
     * @param out a folder that does not exist yet
     * @throws DatasetException if there is no document, two share a name, {@code out} exists, or it cannot be written
     */
    public static DatasetManifest build(List<Document> documents, DatasetOptions options, Path out)
            throws DatasetException {
        if (documents.isEmpty()) {
            throw DatasetException.bytes("no documents: a dataset has at least one");
        }
        if (Files.exists(out, LinkOption.NOFOLLOW_LINKS)) {
            throw DatasetException.environment("%s exists: name a folder that does not", out);
        }
        List<Document> ordered = documents.stream()
                .sorted(Comparator.comparing(Document::name, Utf8Order.COMPARATOR))
                .toList();
        requireDistinct(ordered);
        Path partial = out.resolveSibling(out.getFileName() + ".partial");
        try {
            deleteTree(partial);
            Files.createDirectories(partial);
            DatasetManifest manifest = write(ordered, options, partial);
            Files.move(partial, out, StandardCopyOption.ATOMIC_MOVE);
            return manifest;
        } catch (IOException e) {
            throw new DatasetException(
                    DatasetException.Kind.ENVIRONMENT, "cannot write the dataset " + out + ": " + reason(e), e);
        } finally {
            try {
                deleteTree(partial);
            } catch (IOException e) {
                // The folder is named .partial and the next build removes it.
            }
        }
    }

    private static DatasetManifest write(List<Document> ordered, DatasetOptions options, Path folder)
            throws IOException, DatasetException {
        Tokenizer tokenizer = options.tokenizer();
        List<ShardEntry> shards = new ArrayList<>();
        List<Tokenized> open = new ArrayList<>();
        long openTokens = 0;
        for (Document document : ordered) {
            Tokenized tokenized = new Tokenized(document, encode(tokenizer, document));
            open.add(tokenized);
            openTokens += tokenized.ids().length;
            if (openTokens >= options.tokensPerShard()) {
                shards.add(writeShard(open, shards.size(), tokenizer, folder));
                open.clear();
                openTokens = 0;
            }
        }
        if (!open.isEmpty()) {
            shards.add(writeShard(open, shards.size(), tokenizer, folder));
        }
        if (tokenizer.file().isPresent()) {
            Files.write(folder.resolve(Tokenizer.FILE), tokenizer.file().get(), StandardOpenOption.CREATE_NEW);
        }
        List<SourceFile> sources = options.sources().stream()
                .sorted(Comparator.comparing(SourceFile::name, Utf8Order.COMPARATOR))
                .toList();
        DatasetManifest manifest =
                new DatasetManifest(options.name(), options.licence(), tokenizer.spec(), sources, shards);
        Path file = folder.resolve(DatasetManifest.FILE);
        Files.write(file, ManifestJson.write(manifest), StandardOpenOption.CREATE_NEW);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        return manifest;
    }

    @SuppressWarnings("ArrayRecordComponent") // on its way from one method to the next
    private record Tokenized(Document document, int[] ids) {}

    /** Ids of a document; a refusal names it. */
    static int[] encode(Tokenizer tokenizer, Document document) throws DatasetException {
        try {
            return tokenizer.encode(document.text());
        } catch (DatasetException e) {
            throw new DatasetException(e.kind(), "document " + document.name() + ": " + e.getMessage(), e);
        }
    }

    private static ShardEntry writeShard(List<Tokenized> tokenized, int index, Tokenizer tokenizer, Path folder)
            throws IOException {
        List<DocumentEntry> entries = new ArrayList<>();
        Path file = folder.resolve(ShardHeader.fileName(index));
        try (ShardWriter writer = new ShardWriter(file, tokenizer.spec().vocab())) {
            for (Tokenized one : tokenized) {
                Document document = one.document();
                int[] ids = one.ids();
                entries.add(new DocumentEntry(
                        document.name(),
                        writer.tokenCount(),
                        ids.length,
                        document.text().length,
                        Hashing.sha256(document.text()),
                        document.metadata().map(Hashing::sha256)));
                writer.write(ids);
            }
            long tokens = writer.tokenCount();
            Sha256 root = writer.finish();
            ShardEntry shard = new ShardEntry(index, tokens, root, entries);
            DocumentsFile.write(
                    folder.resolve(shard.documentsFile()),
                    tokenized.stream().map(Tokenized::document).toList());
            return shard;
        }
    }

    private static void requireDistinct(List<Document> ordered) throws DatasetException {
        for (int i = 1; i < ordered.size(); i++) {
            if (ordered.get(i).name().equals(ordered.get(i - 1).name())) {
                throw DatasetException.bytes(
                        "two documents are named %s: every document needs a name of its own",
                        ordered.get(i).name());
            }
        }
    }

    /** What an I/O error says, or its kind where it says only a path. */
    static String reason(IOException e) {
        return e instanceof FileAlreadyExistsException
                ? "file exists: " + e.getMessage()
                : e.getClass().getSimpleName() + ": " + e.getMessage();
    }

    private static void deleteTree(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(folder)) {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.delete(path);
        }
    }
}
