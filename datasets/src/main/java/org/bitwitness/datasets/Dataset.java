package org.bitwitness.datasets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.RowSpec;

/**
 * A dataset folder, read. Nothing that comes out of it was not checked against the manifest's root first: a shard is
 * hashed as a whole when its first sample is asked for.
 *
 * <p>Safe for use by several threads.
 */
public final class Dataset implements AutoCloseable {
    /** Headers, documents files and manifest of a dataset; more than this is not a manifest. */
    private static final long MAX_MANIFEST_BYTES = 256L << 20;

    private final Path folder;
    private final DatasetManifest manifest;
    private final DatasetRoot root;
    private final Tokenizer tokenizer;
    private final TreeMap<Integer, ShardReader> readers = new TreeMap<>();

    private Dataset(Path folder, DatasetManifest manifest, Tokenizer tokenizer) {
        this.folder = folder;
        this.tokenizer = tokenizer;
        this.manifest = manifest;
        this.root = manifest.root();
    }

    /** Opens a folder; reads only its manifest. */
    public static Dataset open(Path folder) throws DatasetException {
        if (!Files.exists(folder)) {
            throw DatasetException.environment(
                    "the dataset %s does not exist; `dataset build --out DIR` makes one", folder);
        }
        Path file = folder.resolve(DatasetManifest.FILE);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw DatasetException.environment(
                    "%s is not a dataset: it has no %s; `dataset build` makes one", folder, DatasetManifest.FILE);
        }
        try {
            if (Files.size(file) > MAX_MANIFEST_BYTES) {
                throw DatasetException.bytes("%s has over %d bytes", file, MAX_MANIFEST_BYTES);
            }
            DatasetManifest manifest = ManifestJson.read(Files.readAllBytes(file));
            return new Dataset(folder, manifest, Tokenizers.of(manifest.tokenizer(), folder));
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    public Path folder() {
        return folder;
    }

    public DatasetManifest manifest() {
        return manifest;
    }

    public DatasetRoot root() {
        return root;
    }

    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** The files of this dataset, manifest first, as names in its folder. */
    public List<String> files() {
        List<String> files = new ArrayList<>();
        files.add(DatasetManifest.FILE);
        if (Tokenizers.hasFile(manifest.tokenizer())) {
            files.add(Tokenizer.FILE);
        }
        for (ShardEntry shard : manifest.shards()) {
            files.add(shard.documentsFile());
            files.add(shard.tokensFile());
        }
        return files;
    }

    /** Samples of one epoch. */
    public long sampleCount(int contextLength) {
        return manifest.sampleCount(SampleForm.running(contextLength));
    }

    /**
     * Reads one sample of those that run on; numbers run on across the shards.
     *
     * @param id in [0, sampleCount(contextLength))
     */
    public Sample sample(int contextLength, long id) throws DatasetException {
        return sample(SampleForm.running(contextLength), id);
    }

    /** Reads one sample; ids without a target have {@link Sample#NO_TARGET}. */
    public Sample sample(SampleForm form, long id) throws DatasetException {
        if (id < 0) {
            throw new IllegalArgumentException("a sample's number is not negative, got " + id);
        }
        Found found = find(form, id);
        int[] ids = ids(found.shard(), found.firstToken(), form.length() + 1);
        int[] targets = Arrays.copyOfRange(ids, 1, form.length() + 1);
        if (form.rows().targets() == RowSpec.Targets.LAST) {
            Arrays.fill(targets, 0, form.length() - 1, Sample.NO_TARGET);
        }
        return new Sample(Arrays.copyOf(ids, form.length()), targets);
    }

    /** Reads the samples of a micro-batch. */
    public SampleRows rows(SampleForm form, long[] samples) throws DatasetException {
        int[][] ids = new int[samples.length][];
        int[][] targets = new int[samples.length][];
        for (int s = 0; s < samples.length; s++) {
            Sample sample = sample(form, samples[s]);
            ids[s] = sample.ids();
            targets[s] = sample.targets();
        }
        return new SampleRows(ids, targets);
    }

    /** The shard and the documents that a sample reads. */
    public SamplePlace place(SampleForm form, long id) throws DatasetException {
        Found found = find(form, id);
        return SamplePlace.of(found.shard(), found.firstToken(), form.length() + 1);
    }

    private record Found(ShardEntry shard, long firstToken) {}

    private Found find(SampleForm form, long id) throws DatasetException {
        long left = id;
        for (ShardEntry shard : manifest.shards()) {
            long count = shard.sampleCount(form);
            if (left < count) {
                return new Found(shard, form.firstToken(left));
            }
            left -= count;
        }
        throw DatasetException.bytes(
                "sample %d does not exist: the dataset has %d of %d tokens",
                id, manifest.sampleCount(form), form.length());
    }

    /** The shard of a name like {@code shard-00000}. */
    public ShardEntry shard(String name) throws DatasetException {
        for (ShardEntry shard : manifest.shards()) {
            if (shard.name().equals(name)) {
                return shard;
            }
        }
        throw DatasetException.bytes(
                "no shard is named %s: there are %s to %s",
                name,
                manifest.shards().getFirst().name(),
                manifest.shards().getLast().name());
    }

    /**
     * Tokenizes the documents of a shard again: what a {@code DATA(shard)} unit replays.
     *
     * @return the token root that the documents give, to be compared with {@link ShardEntry#tokenRoot()}
     * @throws DatasetException if a document is not the committed one
     */
    public Sha256 rebuildTokenRoot(ShardEntry shard) throws DatasetException {
        IdTree ids = new IdTree(manifest.tokenizer().vocab());
        for (Document document : documents(shard)) {
            ids.add(DatasetBuilder.encode(tokenizer, document));
        }
        return ids.root();
    }

    /** Compares ids document by document, so that the first that differs is named. */
    private void requireSameTokens(ShardEntry shard) throws DatasetException {
        List<Document> documents = documents(shard);
        for (int i = 0; i < documents.size(); i++) {
            DocumentEntry said = shard.documents().get(i);
            int[] found = DatasetBuilder.encode(tokenizer, documents.get(i));
            int[] stored = ids(shard, said.firstToken(), Math.toIntExact(said.tokens()));
            int at = Arrays.mismatch(stored, found);
            if (at >= 0) {
                throw DatasetException.bytes(
                        "%s: document %s should have %d tokens, token %d being %s; the tokenizer %s gives %d, and %s",
                        shard.name(),
                        said.name(),
                        said.tokens(),
                        at,
                        at < stored.length ? Integer.toString(stored[at]) : "none",
                        manifest.tokenizer().kind(),
                        found.length,
                        at < found.length ? Integer.toString(found[at]) : "none");
            }
        }
    }

    /** The documents of a shard, each checked against its digest. */
    public List<Document> documents(ShardEntry shard) throws DatasetException {
        Path file = folder.resolve(shard.documentsFile());
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw DatasetException.bytes("%s is missing, or is not a plain file", shard.documentsFile());
        }
        try {
            return DocumentsFile.read(file, shard);
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    /** Checks every shard against its root and against its documents, and that the folder holds nothing else. */
    public void verify() throws DatasetException {
        for (ShardEntry shard : manifest.shards()) {
            Sha256 rebuilt = rebuildTokenRoot(shard);
            if (!rebuilt.equals(shard.tokenRoot())) {
                requireSameTokens(shard);
                throw DatasetException.bytes(
                        "%s should have token root %s, its documents give %s",
                        shard.name(), shard.tokenRoot(), rebuilt);
            }
            reader(shard);
        }
        try (var names = Files.newDirectoryStream(folder)) {
            List<String> known = files();
            for (Path path : names) {
                String name = String.valueOf(path.getFileName());
                if (!known.contains(name)) {
                    throw DatasetException.bytes(
                            "%s is in the dataset folder, but the manifest lists no such file", name);
                }
            }
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    @Override
    public synchronized void close() throws DatasetException {
        try {
            for (ShardReader reader : readers.values()) {
                reader.close();
            }
            readers.clear();
            tokenizer.close();
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    private int[] ids(ShardEntry shard, long first, int count) throws DatasetException {
        try {
            return reader(shard).read(first, count);
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    private synchronized ShardReader reader(ShardEntry shard) throws DatasetException {
        ShardReader known = readers.get(shard.index());
        if (known != null) {
            return known;
        }
        try {
            ShardReader opened =
                    ShardReader.open(folder, shard, manifest.tokenizer().vocab());
            readers.put(shard.index(), opened);
            return opened;
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    private static DatasetException unreadable(Path folder, IOException e) {
        return new DatasetException(
                DatasetException.Kind.ENVIRONMENT,
                "cannot read the dataset " + folder + ": " + DatasetBuilder.reason(e),
                e);
    }
}
