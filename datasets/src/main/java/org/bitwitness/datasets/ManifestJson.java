package org.bitwitness.datasets;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * {@code manifest.json}: a {@link DatasetManifest} as canonical JSON with its root. One spelling: what is read is written
 * again and compared.
 */
public final class ManifestJson {
    private static final String FORMAT = "bitwitness-dataset";
    private static final int VERSION = 1;
    private static final int MAX_DOCUMENTS_PER_SHARD = 10_000_000;
    private static final int MAX_SOURCES = 1_000_000;
    static final int MAX_VOCAB = 1 << 24;
    private static final int MAX_BYTES = 256 << 20;
    private static final long MAX_COUNT = 1L << 53;

    private ManifestJson() {}

    public static byte[] write(DatasetManifest manifest) {
        TokenizerSpec tokenizer = manifest.tokenizer();
        return Json.canonicalBytes(Json.object()
                .put("format", FORMAT)
                .put("version", VERSION)
                .put("name", manifest.name())
                .put("licence", manifest.licence())
                .put("root", manifest.root().hex())
                .put(
                        "policy",
                        Json.object()
                                .put("text", DatasetManifest.TEXT_POLICY)
                                .put("json", DatasetManifest.JSON_POLICY)
                                .build())
                .put(
                        "tokenizer",
                        Json.object()
                                .put("kind", tokenizer.kind())
                                .put("digest", tokenizer.digest().hex())
                                .put("vocab", tokenizer.vocab())
                                .put("endOfText", tokenizer.endOfText())
                                .build())
                .put(
                        "sources",
                        new Json.Arr(manifest.sources().stream()
                                .map(ManifestJson::source)
                                .toList()))
                .put(
                        "shards",
                        new Json.Arr(manifest.shards().stream()
                                .map(s -> shard(s, manifest.width()))
                                .toList()))
                .build());
    }

    /**
     * Reads a manifest and computes its root again.
     *
     * @throws DatasetException naming the field that is missing, malformed, unknown or unequal
     */
    public static DatasetManifest read(byte[] utf8) throws DatasetException {
        DatasetManifest manifest;
        DatasetRoot said;
        try {
            StrictJson json = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(MAX_BYTES));
            JsonFields fields = JsonFields.of(DatasetManifest.FILE, json.readObject(utf8, DatasetManifest.FILE));
            fields.word("format", List.of(FORMAT));
            fields.integer("version", VERSION, VERSION);
            policy(fields.object("policy"));
            said = new DatasetRoot(fields.digest("root"));
            TokenizerSpec tokenizer = tokenizer(fields.object("tokenizer"));
            TokenWidth width = TokenWidth.ofVocab(tokenizer.vocab());
            manifest = new DatasetManifest(
                    fields.text("name"), fields.text("licence"), tokenizer, sources(fields), shards(fields, width));
            fields.end();
        } catch (ProtocolException e) {
            throw DatasetException.of(e);
        } catch (IllegalArgumentException e) {
            throw new DatasetException(DatasetException.Kind.BYTES, DatasetManifest.FILE + ": " + e.getMessage(), e);
        }
        if (!manifest.root().equals(said)) {
            throw DatasetException.bytes(
                    "%s: \"root\" should be %s by its other fields, is %s",
                    DatasetManifest.FILE, manifest.root(), said);
        }
        if (!Arrays.equals(write(manifest), utf8)) {
            throw DatasetException.bytes(
                    "%s is not in its one spelling: sorted keys, no spaces, no line end", DatasetManifest.FILE);
        }
        return manifest;
    }

    private static Json source(SourceFile source) {
        return Json.object()
                .put("name", source.name())
                .put("bytes", source.bytes())
                .put("sha256", source.sha256().hex())
                .build();
    }

    private static Json shard(ShardEntry shard, TokenWidth width) {
        return Json.object()
                .put("name", shard.name())
                .put("dtype", width.text())
                .put("tokens", shard.tokens())
                .put("root", shard.tokenRoot().hex())
                .put(
                        "documents",
                        new Json.Arr(shard.documents().stream()
                                .map(ManifestJson::document)
                                .toList()))
                .build();
    }

    private static Json document(DocumentEntry document) {
        Json.Builder json = Json.object()
                .put("name", document.name())
                .put("firstToken", document.firstToken())
                .put("tokens", document.tokens())
                .put("bytes", document.bytes())
                .put("sha256", document.sha256().hex());
        document.metadataSha256().ifPresent(digest -> json.put("metadataSha256", digest.hex()));
        return json.build();
    }

    private static void policy(JsonFields policy) throws ProtocolException {
        policy.word("text", List.of(DatasetManifest.TEXT_POLICY));
        policy.word("json", List.of(DatasetManifest.JSON_POLICY));
        policy.end();
    }

    private static TokenizerSpec tokenizer(JsonFields fields) throws ProtocolException {
        int vocab = fields.integer32("vocab", 1, MAX_VOCAB);
        TokenizerSpec tokenizer = new TokenizerSpec(
                fields.text("kind"), fields.digest("digest"), vocab, fields.integer32("endOfText", 0, vocab - 1));
        fields.end();
        return tokenizer;
    }

    private static List<SourceFile> sources(JsonFields fields) throws ProtocolException {
        List<SourceFile> sources = new ArrayList<>();
        for (JsonFields source : fields.objects("sources", MAX_SOURCES)) {
            sources.add(new SourceFile(
                    source.text("name"), source.integer("bytes", 0, MAX_COUNT), source.digest("sha256")));
            source.end();
        }
        return sources;
    }

    private static List<ShardEntry> shards(JsonFields fields, TokenWidth width) throws ProtocolException {
        List<ShardEntry> shards = new ArrayList<>();
        for (JsonFields shard : fields.objects("shards", ShardEntry.MAX_SHARDS)) {
            shard.word("name", List.of(ShardHeader.name(shards.size())));
            shard.word("dtype", List.of(width.text()));
            shards.add(new ShardEntry(
                    shards.size(), shard.integer("tokens", 1, MAX_COUNT), shard.digest("root"), documents(shard)));
            shard.end();
        }
        return shards;
    }

    private static List<DocumentEntry> documents(JsonFields shard) throws ProtocolException {
        List<DocumentEntry> documents = new ArrayList<>();
        for (JsonFields document : shard.objects("documents", MAX_DOCUMENTS_PER_SHARD)) {
            Optional<Sha256> metadata =
                    document.has("metadataSha256") ? Optional.of(document.digest("metadataSha256")) : Optional.empty();
            documents.add(new DocumentEntry(
                    document.text("name"),
                    document.integer("firstToken", 0, MAX_COUNT),
                    document.integer("tokens", 1, MAX_COUNT),
                    document.integer("bytes", 0, MAX_COUNT),
                    document.digest("sha256"),
                    metadata));
            document.end();
        }
        return documents;
    }
}
