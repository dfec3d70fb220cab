package org.bitwitness.cli.store.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepsRoot;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.FileEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A store as a person sees it: whole, and with one thing wrong. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoreCommandsTest {
    @TempDir
    static Path home;

    @TempDir
    Path temp;

    private StoreStage stage;

    @BeforeAll
    void train() throws Exception {
        stage = StoreStage.train(home);
    }

    @Test
    void twoRunsComeBackByteForByteAndShareWhatTheyHaveInCommon() throws Exception {
        Path store = filled();
        JsonNode list = json(ok("list", "--json", "--store", store.toString()));
        assertEquals(2, list.get("runs").size());
        double ratio = list.get("ratio").doubleValue();
        assertTrue(ratio > 1.1, "ratio " + ratio);
        for (Path run : List.of(stage.first(), stage.second())) {
            Path out = temp.resolve("copy-" + idOf(run));
            ok("get", idOf(run).substring(0, 8), "--store", store.toString(), "--out", out.toString());
            assertEquals(StoreStage.digests(run), StoreStage.digests(out));
        }
        assertTrue(ok("check", "--store", store.toString()).out().contains("everything is what its name says"));
        assertTrue(ok("add", stage.first().toString(), "--store", store.toString())
                .out()
                .contains(" 0 of them new"));
    }

    @Test
    void aRemovedRunIsCollectedAndWhatOthersUseStays() throws Exception {
        Path store = filled();
        String first = idOf(stage.first());
        ok("remove", first, "--store", store.toString());
        assertEquals(
                1,
                store(
                                "get",
                                first,
                                "--store",
                                store.toString(),
                                "--out",
                                temp.resolve("x").toString())
                        .exitCode());
        int before = StoreStage.digests(store).size();
        assertTrue(ok("gc", "-n", "--store", store.toString()).out().contains("would be deleted"));
        assertEquals(before, StoreStage.digests(store).size());
        JsonNode collected = json(ok("gc", "--json", "--store", store.toString()));
        assertTrue(collected.get("objects").intValue() > 5, collected.toString());
        assertEquals(
                before - collected.get("objects").intValue(),
                StoreStage.digests(store).size());
        Path out = temp.resolve("second");
        ok("get", idOf(stage.second()), "--store", store.toString(), "--out", out.toString());
        assertEquals(StoreStage.digests(stage.second()), StoreStage.digests(out));
        assertTrue(ok("gc", "--store", store.toString()).out().startsWith("0 objects"));
    }

    @Test
    void aRunThatWentOnTakesThePlaceOfItsBeginning() throws Exception {
        Path store = temp.resolve("store");
        Path beginning = StoreStage.beginning(stage.first(), temp.resolve("beginning"));
        ok("add", beginning.toString(), "--store", store.toString());
        ok("add", stage.first().toString(), "--store", store.toString());
        ok("add", beginning.toString(), "--store", store.toString());
        JsonNode runs = json(ok("list", "--json", "--store", store.toString())).get("runs");
        assertEquals(1, runs.size());
        assertEquals(3, runs.get(0).get("commitments").intValue());
        assertEquals(
                1,
                json(ok("gc", "--json", "--store", store.toString()))
                        .get("manifests")
                        .intValue());
        Path out = temp.resolve("whole");
        ok("get", idOf(stage.first()), "--store", store.toString(), "--out", out.toString());
        assertEquals(StoreStage.digests(stage.first()), StoreStage.digests(out));
    }

    @Test
    void twoHistoriesOfOneRunAreNotMixed() throws Exception {
        Path store = filled();
        Path fork = StoreStage.beginning(stage.first(), temp.resolve("fork"));
        Path file = fork.resolve("commitments/0001.bin");
        Commitment honest = Commitment.decode(Files.readAllBytes(file));
        Commitment other = new Commitment(
                honest.runId(),
                honest.sequence(),
                honest.previousDigest(),
                honest.endStep(),
                new StepsRoot(Hashing.sha256("another history")),
                honest.chainHash(),
                honest.stateRoot(),
                honest.releasedRoot(),
                honest.newFiles(),
                Optional.empty());
        Files.write(file, other.toBytes());
        CommandLineRun refused = store("add", fork.toString(), "--store", store.toString());
        assertEquals(2, refused.exitCode());
        assertTrue(refused.err().contains("commitments/0001.bin: the store has another commitment"), refused.err());
    }

    @Test
    void aCommitmentThatListsAnothersFileWithAnotherSizeTakesNothingAway() throws Exception {
        Path store = filled();
        Path victim = stage.second().resolve("steps/000000000002.arrow");
        byte[] bytes = Files.readAllBytes(victim);
        Path fork = listing("steps/000000000099.arrow", bytes.length + 1, Hashing.sha256(bytes));
        Files.write(fork.resolve("steps/000000000099.arrow"), bytes);
        String[][] adds = {
            {"add", fork.toString(), "--store", store.toString()},
            {"add", fork.toString(), "--store", store.toString(), "--reread"}
        };
        for (String[] add : adds) {
            CommandLineRun refused = store(add);
            assertEquals(2, refused.exitCode());
            assertTrue(refused.err().contains("000000000099.arrow: should have"), refused.err());
            assertArrayEquals(bytes, Files.readAllBytes(objectOf(store, victim)));
        }
    }

    /** The object is there, so no byte is asked for; the list must not hide what the commitment really is. */
    @Test
    void aCommitmentThatListsAnotherOneWithOtherBytesIsRefused() throws Exception {
        Path store = Files.createTempDirectory(temp, "store");
        ok("add", stage.second().toString(), "--store", store.toString());
        byte[] other = Files.readAllBytes(stage.second().resolve("commitments/0000.bin"));
        Path fork = listing("commitments/0000.bin", other.length, Hashing.sha256(other));
        CommandLineRun refused = store("add", fork.toString(), "--store", store.toString());
        assertEquals(2, refused.exitCode());
        assertTrue(refused.err().contains("commitments/0000.bin: "), refused.err());
        assertTrue(refused.err().contains("but a commitment lists it with"), refused.err());
    }

    /** The first run's beginning, whose second commitment lists one file more. */
    private Path listing(String path, long bytes, Sha256 sha256) throws Exception {
        Path fork = StoreStage.beginning(
                stage.first(), Files.createTempDirectory(temp, "fork").resolve("run"));
        Path file = fork.resolve("commitments/0001.bin");
        Commitment honest = Commitment.decode(Files.readAllBytes(file));
        List<FileEntry> listed = new ArrayList<>(honest.newFiles());
        listed.removeIf(entry -> entry.path().text().equals(path));
        listed.add(new FileEntry(new RecordingPath(path), bytes, sha256));
        listed.sort(Comparator.comparing(FileEntry::path));
        Commitment forged = new Commitment(
                honest.runId(),
                honest.sequence(),
                honest.previousDigest(),
                honest.endStep(),
                honest.stepsRoot(),
                honest.chainHash(),
                honest.stateRoot(),
                honest.releasedRoot(),
                listed,
                Optional.empty());
        Files.write(file, forged.toBytes());
        return fork;
    }

    @Test
    void aLinkToAFolderWithOtherFilesIsNoEmptyFolder() throws Exception {
        Path other = Files.createDirectories(temp.resolve("papers"));
        Files.writeString(other.resolve("paper.txt"), "mine");
        Path link = Files.createSymbolicLink(temp.resolve("link"), other);
        CommandLineRun add = store("add", stage.first().toString(), "--store", link.toString());
        assertEquals(1, add.exitCode());
        assertTrue(add.err().contains("holds other files and is not a store"), add.err());
    }

    @Test
    void gcKeepsAManifestWhoseFilesTheNewestDoesNotName() throws Exception {
        Path folder = filled();
        RunId run = new RunId(Sha256.ofHex(idOf(stage.first())));
        try (ObjectStore store = ObjectStore.open(new LocalStoreFiles(folder))) {
            RunManifest honest = Objects.requireNonNull(store.runs().get(run)).manifest();
            store.put(new RunManifest(
                    run,
                    honest.commitments() + 1,
                    honest.files().subList(0, honest.files().size() - 1)));
            assertTrue(store.files().size(honest.name().text()).isPresent());
        }
        JsonNode collected = json(ok("gc", "--json", "--store", folder.toString()));
        assertEquals(0, collected.get("manifests").intValue());
        assertEquals(0, collected.get("objects").intValue());
    }

    @Test
    void aDamagedAMissingAndAStrangeObjectAreNamedAndAGoodCopyMends() throws Exception {
        Path store = filled();
        String model = "states/000000000002/model.safetensors";
        Path damaged = objectOf(store, stage.first().resolve(model));
        byte[] bytes = Files.readAllBytes(damaged);
        bytes[bytes.length - 1] ^= 1;
        Files.write(damaged, bytes);
        Path missing = objectOf(store, stage.second().resolve("steps/000000000002.arrow"));
        Files.delete(missing);
        Files.writeString(store.resolve("objects/ab.txt"), "what is this");
        CommandLineRun check = store("check", "--store", store.toString());
        assertEquals(2, check.exitCode());
        assertTrue(check.out().contains("its bytes have another SHA-256; " + model), check.out());
        assertTrue(check.out().contains("missing; steps/000000000002.arrow is this file"), check.out());
        assertTrue(check.out().contains("objects/ab.txt: not a name that a store gives"), check.out());
        String out = temp.resolve("bad").toString();
        CommandLineRun got = store("get", idOf(stage.first()), "--store", store.toString(), "--out", out);
        assertEquals(2, got.exitCode());
        assertTrue(got.err().contains(model + ": should have"), got.err());
        assertFalse(Files.exists(Path.of(out, model)));
        Files.delete(store.resolve("objects/ab.txt"));
        ok("add", "--reread", stage.first().toString(), "--store", store.toString());
        ok("add", stage.second().toString(), "--store", store.toString());
        ok("check", "--store", store.toString());
    }

    @Test
    void aRecordingWithOtherBytesThanCommittedIsNotTaken() throws Exception {
        Path store = temp.resolve("store");
        Path copy = StoreStage.beginning(stage.first(), temp.resolve("copy"));
        Path steps = copy.resolve("steps/000000000000.arrow");
        byte[] bytes = Files.readAllBytes(steps);
        bytes[bytes.length / 2] ^= 1;
        Files.write(steps, bytes);
        CommandLineRun refused = store("add", copy.toString(), "--store", store.toString());
        assertEquals(2, refused.exitCode());
        assertTrue(refused.err().contains("steps/000000000000.arrow: should have"), refused.err());
        assertTrue(ok("list", "--store", store.toString()).out().contains("0 runs"));
    }

    @Test
    void aManifestThatWasChangedOrIsHostileIsRefused() throws Exception {
        String run = "ab".repeat(32);
        String file = "{\"bytes\":1,\"path\":\"steps/a.arrow\",\"sha256\":\"%s\"}".formatted("cd".repeat(32));
        String good = "{\"commitments\":1,\"files\":[%s],\"runId\":\"%s\",\"version\":1}".formatted(file, run);
        assertEquals(1, read(run, good).files().size());
        assertRefused(run, good.replace("steps/a.arrow", "../../etc/passwd"), "not a path inside a recording");
        assertRefused(run, good.replace("\"bytes\":1", "\"bytes\":-1"), "should be from 0");
        assertRefused(run, good.replace("\"bytes\":1", "\"bytes\":99999999999999999"), "should be from 0");
        assertRefused(run, good.replace("[" + file, "[" + file + "," + file), "each once");
        assertRefused(run, good.replace("version\":1", "version\":2"), "the only one that is known");
        assertRefused(run, good.replace(":[", ": ["), "the one spelling");
        assertRefused(run, good.replace(run, "ac".repeat(32)), "what its name says");
        RunManifest.Name name = nameOf(run, good);
        ProtocolException e = assertThrows(
                ProtocolException.class,
                () -> RunManifest.read(name, good.replace("cd", "ce").getBytes(StandardCharsets.UTF_8)));
        assertTrue(e.getMessage().contains("should have the SHA-256 in its name"), e.getMessage());
        Path store = filled();
        Path runs = store.resolve("runs").resolve(idOf(stage.first()));
        String hostile = good.replace(run, idOf(stage.first())).replace("steps/a", "/steps/a");
        Path planted = store.resolve(nameOf(idOf(stage.first()), hostile).text().replace("00000001", "00000009"));
        assertEquals(runs, planted.getParent());
        Files.writeString(planted, hostile);
        assertEquals(2, store("gc", "--store", store.toString()).exitCode());
        assertEquals(2, store("check", "--store", store.toString()).exitCode());
    }

    @Test
    void whatIsNoStoreIsNotTouched() throws Exception {
        Path other = Files.createDirectories(temp.resolve("thesis"));
        Files.writeString(other.resolve("thesis.txt"), "mine");
        for (String verb : List.of("list", "gc", "check")) {
            assertEquals(1, store(verb, "--store", other.toString()).exitCode());
        }
        CommandLineRun add = store("add", stage.first().toString(), "--store", other.toString());
        assertEquals(1, add.exitCode());
        assertTrue(add.err().contains("holds other files and is not a store"), add.err());
        assertEquals(1, StoreStage.digests(other).size());
        Path store = filled();
        Files.writeString(store.resolve(ObjectStore.MARKER), "{\"kind\":\"bitwitness-store\",\"version\":2}");
        assertTrue(store("list", "--store", store.toString()).err().contains("this version cannot use the store"));
        assertEquals(
                1,
                store("get", "zz", "--store", filled().toString(), "--out", "x").exitCode());
    }

    private Path filled() throws Exception {
        Path store = Files.createTempDirectory(temp, "store");
        ok("add", stage.first().toString(), "--store", store.toString());
        ok("add", stage.second().toString(), "--store", store.toString());
        return store;
    }

    private static String idOf(Path run) throws Exception {
        return Commitment.decode(Files.readAllBytes(run.resolve("commitments/0000.bin")))
                .runId()
                .hex();
    }

    private static Path objectOf(Path store, Path file) throws IOException {
        return store.resolve(ObjectStore.object(Hashing.file(file)));
    }

    private static RunManifest.Name nameOf(String run, String json) {
        return new RunManifest.Name(new RunId(Sha256.ofHex(run)), 1, Hashing.sha256(json));
    }

    private static RunManifest read(String run, String json) throws ProtocolException {
        return RunManifest.read(nameOf(run, json), json.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertRefused(String run, String json, String why) {
        ProtocolException e = assertThrows(ProtocolException.class, () -> read(run, json));
        assertTrue(e.getMessage().contains(why), e.getMessage());
        assertTrue(e.blamesTheBytes());
    }

    private static JsonNode json(CommandLineRun run) throws IOException {
        return new ObjectMapper().readTree(run.out());
    }

    private static CommandLineRun ok(String... arguments) {
        CommandLineRun run = store(arguments);
        assertEquals(0, run.exitCode(), run.out() + run.err());
        return run;
    }

    private static CommandLineRun store(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "store";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return CommandLineRun.of(all);
    }
}
