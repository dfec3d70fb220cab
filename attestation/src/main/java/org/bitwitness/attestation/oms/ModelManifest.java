package org.bitwitness.attestation.oms;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
 * The files of a model and their digests, method {@code files} of OMS v1.0. Its root is SHA-256 over the raw digests in
 * the order of the names, compared by code points.
 *
 * @param files name, relative with {@code /}, to SHA-256 of the file; in name order; never empty
 */
public record ModelManifest(SortedMap<String, Sha256> files) {
    /** Predicate type of OMS v1.0. */
    public static final String PREDICATE_TYPE = "https://model_signing/signature/v1.0";

    /** Files at most. */
    public static final int MAX_FILES = 100_000;

    static final List<String> IGNORED = List.of(".git", ".gitattributes", ".github", ".gitignore");

    private static final String METHOD = "files";
    private static final String HASH = "sha256";

    public ModelManifest {
        if (files.isEmpty()) {
            throw new IllegalArgumentException("a model has at least one file");
        }
        // UTF-16 order differs from code points above U+FFFF, so the order is always ours.
        SortedMap<String, Sha256> ordered = new TreeMap<>(ModelManifest::byCodePoints);
        ordered.putAll(files);
        files = Collections.unmodifiableSortedMap(ordered);
    }

    /** Compares by code points, as Python's strings do. */
    public static int byCodePoints(String a, String b) {
        return java.util.Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }

    /** The model's identity. */
    public ReleasedRoot root() {
        return new ReleasedRoot(rootOf(List.copyOf(files.values())));
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
        Json.Obj serialization = Json.object()
                .put("allow_symlinks", false)
                .put("hash_type", HASH)
                .put("ignore_paths", Json.texts(ignored))
                .put("method", METHOD)
                .build();
        List<Json> resources = new ArrayList<>();
        files.forEach((name, digest) -> resources.add(Json.object()
                .put("algorithm", HASH)
                .put("digest", digest.hex())
                .put("name", name)
                .build()));
        Json.Obj predicate = Json.object()
                .put("resources", new Json.Arr(resources))
                .put("serialization", serialization)
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
        serialization.word("method", List.of(METHOD));
        serialization.word("hash_type", List.of(HASH));
        SortedMap<String, Sha256> files = new TreeMap<>();
        List<Sha256> order = new ArrayList<>();
        for (JsonFields resource : predicate.objects("resources", MAX_FILES)) {
            resource.word("algorithm", List.of(HASH));
            String name = resource.text("name");
            if (!isFileName(name)) {
                throw resource.refuse("name", "should be a relative path with / and no . or .. parts");
            }
            Sha256 digest = resource.digest("digest");
            order.add(digest);
            if (files.put(name, digest) != null) {
                throw resource.refuse("name", "\"" + name + "\" is listed twice");
            }
        }
        if (files.isEmpty()) {
            throw predicate.refuse("resources", "should have at least one item");
        }
        if (!rootOf(order).equals(root)) {
            throw AttestationException.refused(
                    "model signature: the subject is %s, its resources hash to %s".formatted(root, rootOf(order)));
        }
        return new ModelManifest(files);
    }

    private static boolean isFileName(String name) {
        for (String part : name.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf('\0') >= 0) {
                return false;
            }
        }
        return true;
    }

    /** What {@code actual} has otherwise than this manifest, one line a file; empty when they are the same. */
    public List<String> differences(ModelManifest actual) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, Sha256> file : files.entrySet()) {
            Sha256 found = actual.files.get(file.getKey());
            if (found == null) {
                lines.add("%s: expected SHA-256 %s, the file is missing".formatted(file.getKey(), file.getValue()));
            } else if (!found.equals(file.getValue())) {
                lines.add("%s: expected SHA-256 %s, found %s".formatted(file.getKey(), file.getValue(), found));
            }
        }
        for (Map.Entry<String, Sha256> file : actual.files.entrySet()) {
            if (!files.containsKey(file.getKey())) {
                lines.add("%s: not in the signature, found SHA-256 %s".formatted(file.getKey(), file.getValue()));
            }
        }
        return lines;
    }
}
