package org.bitwitness.attestation.oms;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.Subject;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;

/**
 * What a model consists of and the digests, methods {@code files} and {@code shards} of OMS v1.0. Its root is SHA-256
 * over the raw digests in the order of paths, compared by code points, and of pieces.
 *
 * @param digests SHA-256 of each resource, in order; never empty
 * @param shardSize bytes of a piece, of which the last of a file may have fewer; empty for method {@code files}
 */
record ModelManifest(SortedMap<ModelResource, Sha256> digests, OptionalLong shardSize) {
    /** Predicate type of OMS v1.0. */
    static final String PREDICATE_TYPE = "https://model_signing/signature/v1.0";

    /** Files or pieces at most. */
    static final int MAX_RESOURCES = 100_000;

    static final List<String> IGNORED = List.of(".git", ".gitattributes", ".github", ".gitignore");

    /** Bytes of a piece at most. */
    private static final long MAX_SHARD = 1L << 50;

    private static final String FILES = "files";
    private static final String SHARDS = "shards";
    private static final String HASH = "sha256";

    ModelManifest {
        if (digests.isEmpty()) {
            throw new IllegalArgumentException("a model has at least one file");
        }
        digests = Collections.unmodifiableSortedMap(new TreeMap<>(digests));
    }

    /** The model's identity. */
    public ReleasedRoot root() {
        return new ReleasedRoot(rootOf(List.copyOf(digests.values())));
    }

    /** SHA-256 over raw digests in this order. */
    static Sha256 rootOf(List<Sha256> digests) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(digests.size() * Sha256.BYTES);
        digests.forEach(digest -> all.writeBytes(digest.bytes()));
        return Hashing.sha256(all.toByteArray());
    }

    /** The statement that {@code model.sig} carries. */
    Statement toStatement(String modelName, String signatureFile) {
        List<String> ignored = new ArrayList<>(IGNORED);
        ignored.add(signatureFile);
        Json.Builder serialization = Json.object()
                .put("allow_symlinks", false)
                .put("hash_type", HASH)
                .put("ignore_paths", Json.texts(ignored))
                .put("method", shardSize.isPresent() ? SHARDS : FILES);
        shardSize.ifPresent(bytes -> serialization.put("shard_size", bytes));
        List<Json> resources = new ArrayList<>();
        digests.forEach((resource, digest) -> resources.add(Json.object()
                .put("algorithm", algorithm(shardSize))
                .put("digest", digest.hex())
                .put("name", resource.name())
                .build()));
        Json.Obj predicate = Json.object()
                .put("resources", new Json.Arr(resources))
                .put("serialization", serialization.build())
                .build();
        return new Statement(List.of(Subject.of(modelName, root().digest())), PREDICATE_TYPE, predicate);
    }

    /**
     * Reads a statement and checks that its root is the root of its resources. The resources may stand in another order
     * than ours, because signers order paths differently; the root is over the order in the statement.
     */
    static ModelManifest of(Statement statement) throws AttestationException {
        if (!statement.predicateType().equals(PREDICATE_TYPE)) {
            throw AttestationException.refused(
                    "expected a model signature (%s), found %s".formatted(PREDICATE_TYPE, statement.predicateType()));
        }
        if (statement.subjects().size() != 1) {
            throw AttestationException.malformed("a model signature has one subject, this one has "
                    + statement.subjects().size());
        }
        try {
            return of(statement.subjects().getFirst().sha256(), JsonFields.of("predicate", statement.predicate()));
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    private static ModelManifest of(Sha256 root, JsonFields predicate) throws ProtocolException, AttestationException {
        JsonFields serialization = predicate.object("serialization");
        boolean shards = serialization.word("method", List.of(FILES, SHARDS)).equals(SHARDS);
        serialization.word("hash_type", List.of(HASH));
        OptionalLong shardSize =
                shards ? OptionalLong.of(serialization.integer("shard_size", 1, MAX_SHARD)) : OptionalLong.empty();
        SortedMap<ModelResource, Sha256> digests = new TreeMap<>();
        List<Sha256> order = new ArrayList<>();
        for (JsonFields resource : predicate.objects("resources", MAX_RESOURCES)) {
            // Signers call a piece's hash by either name.
            resource.word("algorithm", List.of(HASH, algorithm(shardSize)));
            Sha256 digest = resource.digest("digest");
            order.add(digest);
            if (digests.put(resource(resource, shards), digest) != null) {
                throw resource.refuse("name", "\"" + resource.text("name") + "\" is listed twice");
            }
        }
        if (digests.isEmpty()) {
            throw predicate.refuse("resources", "should have at least one item");
        }
        if (!rootOf(order).equals(root)) {
            throw AttestationException.refused(
                    "model signature: the subject is %s, its resources hash to %s".formatted(root, rootOf(order)));
        }
        return new ModelManifest(digests, shardSize);
    }

    private static ModelResource resource(JsonFields fields, boolean shard) throws ProtocolException {
        String name = fields.text("name");
        try {
            return shard ? ModelResource.parseShard(name) : ModelResource.file(name);
        } catch (IllegalArgumentException e) {
            throw fields.refuse("name", Objects.requireNonNullElse(e.getMessage(), "is not a resource"));
        }
    }

    private static String algorithm(OptionalLong shardSize) {
        return shardSize.isPresent() ? "%s-sharded-%d".formatted(HASH, shardSize.getAsLong()) : HASH;
    }

    /** What {@code actual} has otherwise than this manifest, one line a resource; empty when they are the same. */
    List<String> differences(ModelManifest actual) {
        List<String> lines = new ArrayList<>();
        digests.forEach((resource, expected) -> {
            Sha256 found = actual.digests.get(resource);
            if (found == null) {
                lines.add("%s: expected SHA-256 %s, the %s is missing"
                        .formatted(resource.name(), expected, shardSize.isPresent() ? "piece" : "file"));
            } else if (!found.equals(expected)) {
                lines.add("%s: expected SHA-256 %s, found %s".formatted(resource.name(), expected, found));
            }
        });
        actual.digests.forEach((resource, found) -> {
            if (!digests.containsKey(resource)) {
                lines.add("%s: not in the signature, found SHA-256 %s".formatted(resource.name(), found));
            }
        });
        return lines;
    }
}
