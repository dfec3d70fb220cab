package org.bitwitness.attestation.oms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.Subject;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelSignatureTest {
    private static final SigningKey ALICE = key(1);

    @TempDir
    Path temporary;

    private Path model;

    @BeforeEach
    void makeModel() throws Exception {
        model = temporary.resolve("my-model");
        Files.createDirectories(model.resolve("sub"));
        Files.writeString(model.resolve("config.json"), "{}");
        Files.writeString(model.resolve("model.safetensors"), "weights");
        Files.writeString(model.resolve("sub/part.bin"), "part");
    }

    @Test
    void hashesThePublicExampleToItsRoot() {
        assertEquals(
                "92745110b1ab4368471cbe31664e10174e954b113a3df333db860317b2c6dec4",
                ModelManifest.rootOf(List.of(
                                Sha256.ofHex("bc9a717db6064a32cbe9eae6fc40651dd6d36ef1757183f590eff2b1765d7ebc"),
                                Sha256.ofHex("32dcb1f8e1ae52d5963e56a6ba06ab58b424c15ed2a6b70d2feca1d089370028")))
                        .hex());
    }

    @Test
    void signsAndVerifiesAFolder() throws Exception {
        assertEquals(ModelSignature.root(model), ModelSignature.sign(model, ALICE));
        assertEquals(ModelSignature.root(model), ModelSignature.verify(model, ALICE.verifyingKey()));
        SigstoreBundle bundle = ModelSignature.read(model);
        Statement statement = Statement.parse(bundle.verifySignature(ALICE.verifyingKey()));
        assertEquals("my-model", statement.subjects().getFirst().name().orElseThrow());
        try (var siblings = Files.list(temporary)) {
            assertEquals(List.of(model), siblings.toList(), "no temporary file stays behind");
        }
    }

    @Test
    void namesEachFileThatDiffersWithExpectedAndFound() throws Exception {
        ModelSignature.sign(model, ALICE);
        Files.writeString(model.resolve("model.safetensors"), "weightS");
        Files.delete(model.resolve("sub/part.bin"));
        Files.writeString(model.resolve("extra.txt"), "x");
        String message = assertRefused("3 files", () -> ModelSignature.verify(model, ALICE.verifyingKey()))
                .getMessage();
        assertTrue(
                message.contains("model.safetensors: expected SHA-256 " + Hashing.sha256("weights") + ", found "
                        + Hashing.sha256("weightS")),
                message);
        assertTrue(message.contains("sub/part.bin: expected"), message);
        assertTrue(message.contains("extra.txt: not in the signature"), message);
        assertFalse(message.contains("config.json"), message);
    }

    @Test
    void leavesOutItsOwnSignatureAndGitFilesAtTheTopOnly() throws Exception {
        ModelSignature.sign(model, ALICE);
        Files.createDirectories(model.resolve(".git/objects"));
        Files.writeString(model.resolve(".git/config"), "x");
        Files.writeString(model.resolve(".gitattributes"), "x");
        Files.createSymbolicLink(model.resolve(".git/link"), model.resolve("config.json"));
        ModelSignature.verify(model, ALICE.verifyingKey());
        Files.writeString(model.resolve("sub/.gitignore"), "x");
        assertRefused("sub/.gitignore: not in the signature", () -> ModelSignature.verify(model, ALICE.verifyingKey()));
    }

    @Test
    void refusesSymbolicLinksEmptyModelsAndTheWrongKey() throws Exception {
        ModelSignature.sign(model, ALICE);
        assertRefused("give the signer's public.pem", () -> ModelSignature.verify(model, key(2).verifyingKey()));
        Files.createSymbolicLink(model.resolve("sub/link"), model.resolve("config.json"));
        assertRefused("symbolic link", () -> ModelSignature.verify(model, ALICE.verifyingKey()));
        assertRefused("symbolic link", () -> ModelSignature.root(model));
        Path empty = temporary.resolve("empty");
        Files.createDirectories(empty.resolve("sub"));
        assertRefused("no file", () -> ModelSignature.sign(empty, ALICE));
        assertRefused("has no model.sig", () -> ModelSignature.verify(empty, ALICE.verifyingKey()));
    }

    /** A device or a named pipe may never end, or never begin. */
    @Test
    void readsASignatureFromAPlainFileOnly() throws Exception {
        Path signature = model.resolve(ModelSignature.FILE);
        Files.createSymbolicLink(signature, Path.of("/dev/null"));
        assertRefused("should be a plain file", () -> ModelSignature.read(model));
        Files.delete(signature);
        Files.createDirectory(signature);
        assertRefused("should be a plain file", () -> ModelSignature.read(model));
        Files.delete(signature);
        Files.write(signature, new byte[SigstoreBundle.MAX_BYTES + 1]);
        assertRefused("at most 8388608 bytes", () -> ModelSignature.read(model));
    }

    @Test
    void ordersNamesByCodePointsNotByUtf16() {
        // U+FF21 is below U+1F600, yet above its first surrogate.
        String wide = "\uff21", smile = "\ud83d\ude00";
        assertTrue(wide.compareTo(smile) > 0, "the trap this test is about");
        assertTrue(ModelResource.byCodePoints(wide, smile) < 0);
        ModelManifest manifest = manifest(Map.of(wide, Hashing.sha256("a"), smile, Hashing.sha256("b")));
        assertEquals(
                List.of(wide, smile),
                manifest.digests().keySet().stream().map(ModelResource::name).toList());
        assertEquals(
                ModelManifest.rootOf(List.of(Hashing.sha256("a"), Hashing.sha256("b"))),
                manifest.root().digest());
    }

    @Test
    void refusesAManifestThatDoesNotHashToItsSubject() throws Exception {
        Statement honest = manifest(Map.of("a", Hashing.sha256("a"), "b", Hashing.sha256("b")))
                .toStatement("m", ModelSignature.FILE);
        assertEquals(2, ModelManifest.of(honest).digests().size());
        assertRefused(
                "resources hash to",
                () -> ModelManifest.of(new Statement(
                        List.of(Subject.of("m", Hashing.sha256("other"))),
                        honest.predicateType(),
                        honest.predicate())));
        assertRefused(
                "one subject",
                () -> ModelManifest.of(new Statement(
                        List.of(honest.subjects().getFirst(), honest.subjects().getFirst()),
                        honest.predicateType(),
                        honest.predicate())));
        assertRefused(
                "expected a model signature",
                () -> ModelManifest.of(new Statement(honest.subjects(), "https://example.com/x", honest.predicate())));
        assertRefused("relative path", () -> ModelManifest.of(edited(honest, "\"a\"", "\"../a\"")));
        assertRefused("relative path", () -> ModelManifest.of(edited(honest, "\"a\"", "\"/a\"")));
        assertRefused("listed twice", () -> ModelManifest.of(edited(honest, "\"name\":\"a\"", "\"name\":\"b\"")));
        assertRefused("method", () -> ModelManifest.of(edited(honest, "\"files\"", "\"chunks\"")));
        assertRefused("shard_size", () -> ModelManifest.of(edited(honest, "\"files\"", "\"shards\"")));
        assertRefused(
                "algorithm",
                () -> ModelManifest.of(edited(honest, "\"algorithm\":\"sha256\"", "\"algorithm\":\"md5\"")));
    }

    @Test
    void signsInPiecesAndNamesThePieceThatDiffers() throws Exception {
        var root = ModelSignature.root(model);
        assertEquals(root, ModelSignature.signShards(model, ALICE, 3), "a model is known by its whole files");
        assertEquals(root, ModelSignature.verify(model, ALICE.verifyingKey()));
        String said = Statement.parse(ModelSignature.read(model).verifySignature(ALICE.verifyingKey()))
                .predicate()
                .toText();
        assertTrue(said.contains("\"method\":\"shards\"") && said.contains("\"shard_size\":3"), said);
        for (String piece : List.of("config.json:0:2", "model.safetensors:3:6", "model.safetensors:6:7")) {
            assertTrue(said.contains("\"name\":\"" + piece + "\""), said);
        }
        Files.writeString(model.resolve("model.safetensors"), "weighTs");
        String message = assertRefused("in 1 piece", () -> ModelSignature.verify(model, ALICE.verifyingKey()))
                .getMessage();
        assertTrue(
                message.contains("model.safetensors:3:6: expected SHA-256 " + Hashing.sha256("ght") + ", found "
                        + Hashing.sha256("ghT")),
                message);
        Files.writeString(model.resolve("model.safetensors"), "weights+");
        assertRefused("model.safetensors:6:7: expected", () -> ModelSignature.verify(model, ALICE.verifyingKey()));
        assertRefused("model.safetensors:6:8: not in", () -> ModelSignature.verify(model, ALICE.verifyingKey()));
        Files.writeString(model.resolve("model.safetensors"), "weights");
        Files.writeString(model.resolve("sub/__init__.py"), "");
        assertRefused("is empty", () -> ModelSignature.verify(model, ALICE.verifyingKey()));
    }

    @Test
    void readsAStatementInPiecesAsThePythonSignerWritesIt() throws Exception {
        Sha256 first = Hashing.sha256("one"), second = Hashing.sha256("two"), third = Hashing.sha256("3");
        // The reference signer sorts 10 behind 5 as numbers, and names the hash after the size of a piece.
        String json = """
                {"_type":"https://in-toto.io/Statement/v1","predicate":{"resources":[
                {"algorithm":"sha256-sharded-5","digest":"%s","name":"a:b:0:5"},
                {"algorithm":"sha256-sharded-5","digest":"%s","name":"a:b:5:10"},
                {"algorithm":"sha256-sharded-5","digest":"%s","name":"a:b:10:11"}],
                "serialization":{"allow_symlinks":false,"hash_type":"sha256","method":"shards","shard_size":5}},
                "predicateType":"https://model_signing/signature/v1.0",
                "subject":[{"digest":{"sha256":"%s"},"name":"m"}]}""".formatted(first, second, third, ModelManifest.rootOf(List.of(first, second, third)));
        ModelManifest manifest = ModelManifest.of(Statement.parse(json.getBytes(UTF_8)));
        assertEquals(
                List.of(
                        ModelResource.shard("a:b", 0, 5),
                        ModelResource.shard("a:b", 5, 10),
                        ModelResource.shard("a:b", 10, 11)),
                List.copyOf(manifest.digests().keySet()));
        for (String name : List.of("a:b", "a:b:5:5", "a:b:05:10", "a:b:-5:10", "../a:5:10", "a:b:5:1e9", "b:0:x")) {
            String planted = json.replace("\"a:b:5:10\"", "\"" + name + "\"");
            assertRefused("name", () -> ModelManifest.of(Statement.parse(planted.getBytes(UTF_8))));
        }
        String otherSize = json.replace("sha256-sharded-5", "sha256-sharded-6");
        assertRefused("algorithm", () -> ModelManifest.of(Statement.parse(otherSize.getBytes(UTF_8))));
    }

    @Test
    void keepsItsRootWhateverTheFolderIsCalled() throws Exception {
        var root = ModelSignature.root(model);
        Path moved = Files.move(model, temporary.resolve("renamed"));
        assertEquals(root, ModelSignature.root(moved));
        Files.writeString(moved.resolve("config.json"), "{ }");
        assertNotEquals(root, ModelSignature.root(moved));
    }

    private static Statement edited(Statement statement, String from, String to) throws Exception {
        return Statement.parse(statement.toJson().toText().replace(from, to).getBytes(UTF_8));
    }

    private static ModelManifest manifest(Map<String, Sha256> files) {
        TreeMap<ModelResource, Sha256> digests = new TreeMap<>();
        files.forEach((name, digest) -> digests.put(ModelResource.file(name), digest));
        return new ModelManifest(digests, OptionalLong.empty());
    }
}
