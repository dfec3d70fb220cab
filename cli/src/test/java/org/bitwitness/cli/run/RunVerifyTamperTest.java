package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.cli.run.check.Difference;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.StepChain;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One lie at a time in a real recording, and the check that must see it. Every lie has the same untouched twin.
 * Recordings that are rewritten whole, with new hashes and signatures, are told apart by what their records mean.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunVerifyTamperTest {
    @TempDir
    static Path home;

    private TrainedRun run;
    private int copies;

    @BeforeAll
    void train() throws Exception {
        run = TrainedRun.train(home);
    }

    @Test
    void passesTheUntouchedTwin() throws Exception {
        RunChecks.Report alone = verifyAlone(run.copyTo(fresh()));
        assertTrue(alone.passed(), messages(alone));
        RunChecks.Report trusted = verifyTrusted(run.copyTo(fresh()));
        assertTrue(trusted.passed(), messages(trusted));
        assertEquals(11, trusted.results().size());
    }

    @Test
    void passesARecordingWrittenAgainWithoutAChange() throws Exception {
        Path copy = fresh();
        new Forgery().write(run, copy);
        RunChecks.Report report = verifyAlone(copy);
        assertTrue(report.passed(), messages(report));
    }

    @Test
    void seesOneBitInAnyFile() throws Exception {
        List<String> files;
        try (Stream<Path> all = Files.walk(run.folder())) {
            files = all.filter(Files::isRegularFile)
                    .map(file -> run.folder().relativize(file).toString())
                    .sorted()
                    .toList();
        }
        assertTrue(files.size() > 20, files.toString());
        Path copy = run.copyTo(fresh());
        for (String name : files) {
            byte[] whole = Files.readAllBytes(copy.resolve(name));
            for (int at : List.of(0, whole.length / 2, whole.length - 1)) {
                byte[] flipped = whole.clone();
                flipped[at] ^= (byte) (1 << (at % 8));
                Files.write(copy.resolve(name), flipped);
                RunChecks.Report report = verifyTrusted(copy);
                assertTrue(report.differs(), "bit in byte " + at + " of " + name);
                assertNamed(report, name);
            }
            Files.write(copy.resolve(name), whole);
        }
        assertTrue(verifyTrusted(copy).passed());
    }

    @Test
    void seesAFileThatIsMissingOrAdded() throws Exception {
        for (String name : List.of(
                "states/000000000002/scalars.json",
                "steps/000000000002.arrow",
                "traces/000000000000.arrow",
                "commitments/0001.sigstore.json",
                "commitments/0001.bin",
                "released/config.json",
                "dataset/manifest.json",
                "descriptor.json")) {
            Path copy = run.copyTo(fresh());
            Files.delete(copy.resolve(name));
            RunChecks.Report report = verifyTrusted(copy);
            assertTrue(report.differs(), name);
            assertNamed(report, name);
        }
        for (String name : List.of("states/extra.bin", "commitments/0007.bin", "notes.txt", "released/pytorch.bin")) {
            Path copy = run.copyTo(fresh());
            Files.writeString(copy.resolve(name), "x");
            RunChecks.Report report = verifyTrusted(copy);
            assertTrue(report.differs(), name);
            assertNamed(report, name);
        }
    }

    @Test
    void seesASymbolicLinkInPlaceOfAFile() throws Exception {
        Path copy = run.copyTo(fresh());
        Path file = copy.resolve("released/config.json");
        Path elsewhere = fresh().resolveSibling("elsewhere.json");
        Files.move(file, elsewhere);
        Files.createSymbolicLink(file, elsewhere);
        RunChecks.Report report = verifyTrusted(copy);
        assertTrue(report.differs());
        assertTrue(messages(report).contains("symbolic link"), messages(report));
    }

    /** Every key of every JSON file that says what a run is: file, then keys from the outside in. */
    List<List<String>> fields() throws Exception {
        List<List<String>> fields = new ArrayList<>();
        for (String file : List.of("descriptor.json", "dataset/manifest.json", "states/000000000002/scalars.json")) {
            collect(StrictJson.object(Files.readAllBytes(run.folder().resolve(file)), file), List.of(file), fields);
        }
        return fields;
    }

    @ParameterizedTest
    @MethodSource("fields")
    void seesAMissingOrRenamedField(List<String> field) throws Exception {
        String file = field.getFirst();
        String key = field.getLast();
        List<String> path = field.subList(1, field.size());
        Path copy = run.copyTo(fresh());
        Json.Obj whole = StrictJson.object(Files.readAllBytes(copy.resolve(file)), file);
        for (String renamed : List.of("", key + "X")) {
            Files.write(copy.resolve(file), Json.canonicalBytes(without(whole, path, renamed)));
            RunChecks.Report report = verifyAlone(copy);
            assertTrue(report.differs(), field.toString());
            assertTrue(messages(report).contains(key), messages(report));
        }
    }

    @Test
    void seesEveryColumnOfTheStepRecordsThatIsRenamed() throws Exception {
        for (String column : List.of(
                "runId",
                "step",
                "valid",
                "stateRootBefore",
                "stateRootAfter",
                "layout",
                "reduction",
                "averaging",
                "targetCount",
                "learningRate",
                "workers",
                "combinedRoot",
                "exactExponentsRoot",
                "norm",
                "clip",
                "loss",
                "detectorDigest",
                "microBatches",
                "sampleIds",
                "rowsRoot",
                "gradientRoot",
                "lossSum",
                "traceRoot")) {
            Path copy = run.copyTo(fresh());
            Path file = copy.resolve("steps/000000000002.arrow");
            String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
            String other = column.substring(1) + "X";
            // A name ends where the padding of its string begins: "step" is not part of another one.
            String renamed = bytes.replace("\0" + column + "\0", "\0" + other + "\0");
            assertNotEquals(bytes, renamed, column);
            Files.writeString(file, renamed, StandardCharsets.ISO_8859_1);
            RunChecks.Report report = verifyAlone(copy);
            assertTrue(messages(report).contains(column + " is missing"), messages(report));
        }
    }

    /** A change of the records, and the words that must name it. */
    record Lie(String name, Forgery forgery, List<String> words) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Lie> lies() {
        List<Lie> lies = new ArrayList<>();
        lie(
                lies,
                "learning rate, lowest bit",
                step(3, r -> r.learningRate(Math.nextUp(rate(r)))),
                "step 3 learningRate");
        lie(lies, "learning rate, sign bit", step(1, r -> r.learningRate(-rate(r))), "step 1 learningRate");
        lie(lies, "loss, lowest bit", step(2, r -> r.loss(Math.nextUp(r.build().loss()))), "step 2 loss");
        lie(lies, "clip", step(2, r -> r.clip(Math.nextDown(r.build().clip()))), "step 2 clip");
        lie(lies, "target count", step(0, r -> r.targetCount(63)), "step 0 targetCount");
        lie(lies, "reduction tree", step(1, r -> r.reduction("ORDERED [1,0]")), "step 1 reduction");
        lie(lies, "reduction rule", step(1, r -> r.reduction("EXACT")), "step 1 reduction");
        lie(lies, "averaging", step(1, r -> r.averaging(Averaging.WORKERS)), "step 1 averaging");
        lie(lies, "detectors", step(1, r -> r.detectors(Hashing.sha256("x"))), "step 1 detectorDigest");
        lie(
                lies,
                "exponents of an ordered reduction",
                step(1, r -> r.exponents(Optional.of(Hashing.sha256("x")))),
                "step 1 exactExponentsRoot");
        lie(lies, "state after", step(0, r -> r.after(new StateRoot(Hashing.sha256("x")))), "step 1 stateRootBefore");
        lie(lies, "state before", step(3, r -> r.before(new StateRoot(Hashing.sha256("x")))), "step 3 stateRootBefore");
        lie(
                lies,
                "state after the last step",
                step(3, r -> r.after(new StateRoot(Hashing.sha256("x")))),
                "states/000000000004: stateRoot");
        lie(lies, "a valid step called invalid", step(1, r -> r.valid(false)), "updateCount");
        lie(lies, "layout", step(2, r -> r.workers(r.build().workers().reversed())), "step 2 layout");
        lie(
                lies,
                "gradient root, top bit",
                new Forgery().worker(2, 1, w -> worker(w, w.microBatches(), flipped(w.gradientRoot()), w.traceRoot())),
                "step 2 worker 1 outputs of emit");
        lie(
                lies,
                "trace root",
                new Forgery()
                        .worker(
                                2,
                                1,
                                w -> worker(
                                        w,
                                        w.microBatches(),
                                        w.gradientRoot(),
                                        Optional.of(new TraceRoot(Hashing.sha256("x"))))),
                "step 2 worker 1 traceRoot");
        lie(
                lies,
                "trace root left out",
                new Forgery().worker(2, 1, w -> worker(w, w.microBatches(), w.gradientRoot(), Optional.empty())),
                "step 2 worker 1 traceRoot present");
        batchLies(lies);
        countLies(lies);
        fileLies(lies);
        return lies;
    }

    private static void batchLies(List<Lie> lies) {
        lie(
                lies,
                "two micro-batches swapped",
                new Forgery()
                        .worker(1, 0, w -> worker(w, w.microBatches().reversed(), w.gradientRoot(), w.traceRoot())),
                "step 1 worker 0 micro-batch 0 sampleIds");
        lie(
                lies,
                "two workers' batches swapped",
                step(1, r -> {
                    WorkerRecord a = r.build().workers().get(0);
                    WorkerRecord b = r.build().workers().get(1);
                    return r.workers(List.of(
                            worker(a, b.microBatches(), a.gradientRoot(), a.traceRoot()),
                            worker(b, a.microBatches(), b.gradientRoot(), b.traceRoot())));
                }),
                "step 1 worker 1 micro-batch 1 sampleIds");
        lie(
                lies,
                "another sample",
                batch(b -> new MicroBatchRecord(List.of(b.sampleIds().getFirst() ^ 1), b.rowsRoot())),
                "step 2 worker 1 micro-batch 0 sampleIds");
        lie(
                lies,
                "a covert row",
                batch(b -> new MicroBatchRecord(List.of(b.sampleIds().getFirst(), 0L), b.rowsRoot())),
                "step 2 worker 1 micro-batch 0 sampleIds");
        lie(
                lies,
                "one token of a row",
                batch(b -> new MicroBatchRecord(b.sampleIds(), Hashing.sha256("x"))),
                "step 2 worker 1 micro-batch 0 rowsRoot");
        lie(
                lies,
                "a micro-batch left out",
                new Forgery()
                        .worker(2, 1, w -> worker(w, w.microBatches().subList(0, 1), w.gradientRoot(), w.traceRoot())),
                "step 2 worker 1 microBatches");
    }

    private static void countLies(List<Lie> lies) {
        lie(
                lies,
                "a step removed, the rest renumbered",
                new Forgery().steps(records -> List.of(records.get(0), records.get(1), records.get(3))),
                "step 2 stateRootBefore");
        lie(
                lies,
                "a step inserted, the rest renumbered",
                new Forgery()
                        .steps(records -> List.of(
                                records.get(0), records.get(1), records.get(1), records.get(2), records.get(3))),
                "step 2 stateRootBefore");
    }

    private static void fileLies(List<Lie> lies) {
        lie(
                lies,
                "released weights moved by a millionth",
                new Forgery().file("released/model.safetensors", bytes -> flippedAt(bytes, bytes.length - 4)),
                "released/model.safetensors: SHA-256");
        lie(
                lies,
                "code in a released configuration",
                new Forgery()
                        .file(
                                "released/config.json",
                                bytes -> new String(bytes, StandardCharsets.UTF_8)
                                        .replaceFirst("\\{", "{\"auto_map\":{},")
                                        .getBytes(StandardCharsets.UTF_8)),
                "released/config.json: SHA-256");
        for (int bit : List.of(0, 23, 31)) {
            lie(
                    lies,
                    "bit " + bit + " of a parameter of a stored state",
                    new Forgery()
                            .file(
                                    "states/000000000002/model.safetensors",
                                    bytes -> flippedAt(bytes, bytes.length - 4 + bit / 8)),
                    "states/000000000002: stateRoot");
        }
        lie(
                lies,
                "a moment of a stored state",
                new Forgery()
                        .file("states/000000000002/optimizer.safetensors", bytes -> flippedAt(bytes, bytes.length - 1)),
                "states/000000000002: stateRoot");
        lie(
                lies,
                "a tensor of a stored state renamed",
                new Forgery()
                        .file(
                                "states/000000000002/model.safetensors",
                                bytes -> new String(bytes, StandardCharsets.ISO_8859_1)
                                        .replace("\"transformer.wte.weight\"", "\"transformer.wtf.weight\"")
                                        .getBytes(StandardCharsets.ISO_8859_1)),
                "tensor transformer.wte.weight should be F32");
        for (String scalar :
                List.of("epoch", "rngCounter", "samplePosition", "schedulePosition", "updateCount", "stateIndex")) {
            lie(
                    lies,
                    "scalar " + scalar,
                    new Forgery().file("states/000000000002/scalars.json", bytes -> increased(bytes, scalar)),
                    scalar);
        }
        lie(
                lies,
                "layout of the next step",
                new Forgery()
                        .file(
                                "states/000000000002/scalars.json",
                                bytes -> new String(bytes, StandardCharsets.UTF_8)
                                        .replaceFirst("(\"layoutDigest\":\").", "$1" + "0")
                                        .replaceFirst("(\"layoutDigest\":\".)..", "$1" + "11")
                                        .getBytes(StandardCharsets.UTF_8)),
                "layoutDigest");
    }

    @ParameterizedTest
    @MethodSource("lies")
    void seesALieThatWasSignedAnew(Lie lie) throws Exception {
        Path copy = fresh();
        lie.forgery().write(run, copy);
        RunChecks.Report report = verifyAlone(copy);
        assertTrue(report.differs(), lie.name());
        for (String word : lie.words()) {
            assertTrue(
                    messages(report).contains(word),
                    lie.name() + " should be named by \"" + word + "\":\n" + messages(report));
        }
    }

    @Test
    void seesThatARecordingSignedAnewIsNotTheLoggedOne() throws Exception {
        Path copy = fresh();
        new Forgery().write(run, copy);
        RunChecks.Report report = verifyTrusted(copy);
        assertTrue(report.differs());
        assertTrue(messages(report).contains("no log entry"), messages(report));
    }

    @Test
    void seesACommitmentThatTheLogHoldsAndTheRecordingDoesNot(@TempDir Path other) throws Exception {
        TrainedRun forked = TrainedRun.train(other);
        RecordingReader reader = RecordingReader.open(forked.folder());
        StepChain chain = new StepChain(reader.runId());
        chain.add(reader.stepRecord(new org.bitwitness.protocol.StepIndex(0)));
        forked.logOnly(reader.open().next(chain, reader.open().stateRoot(), Optional.empty(), List.of()));
        RunChecks.Report report = verify(forked.folder(), forked);
        assertTrue(report.differs());
        assertTrue(messages(report).contains("which the recording lacks"), messages(report));
    }

    @Test
    void seesATrainerThatIsNotTrusted() throws Exception {
        Path trust = fresh();
        TrainedRun.copyFolder(run.trust(), trust);
        Files.delete(trust.resolve("trainers/trainer.pem"));
        RunChecks.Report report =
                new RunChecks(Optional.of(TrustPolicy.load(trust)), Optional.empty(), name -> {}).run(run.folder());
        assertTrue(report.differs());
        assertTrue(messages(report).contains("trainerSpki"), messages(report));
    }

    @Test
    void warnsOfLeftoversOfACrash() throws Exception {
        Path copy = run.copyTo(fresh());
        Files.writeString(copy.resolve("steps/.partial-000000000004.arrow"), "half");
        RunChecks.Report report = verifyTrusted(copy);
        assertTrue(report.passed(), messages(report));
        assertFalse(report.results().getFirst().warnings().isEmpty());
    }

    private static void lie(List<Lie> lies, String name, Forgery forgery, String... words) {
        lies.add(new Lie(name, forgery, List.of(words)));
    }

    private static Forgery step(int number, UnaryOperator<Edit> change) {
        return new Forgery()
                .step(number, record -> change.apply(Edit.of(record)).build());
    }

    private static Forgery batch(UnaryOperator<MicroBatchRecord> change) {
        return new Forgery().worker(2, 1, w -> {
            List<MicroBatchRecord> batches = new ArrayList<>(w.microBatches());
            batches.set(0, change.apply(batches.getFirst()));
            return worker(w, batches, w.gradientRoot(), w.traceRoot());
        });
    }

    private static double rate(Edit edit) {
        StepRecord record = edit.build();
        return record.learningRate();
    }

    private static WorkerRecord worker(
            WorkerRecord w, List<MicroBatchRecord> batches, GradientRoot gradient, Optional<TraceRoot> trace) {
        return new WorkerRecord(w.worker(), batches, gradient, w.lossSum(), w.targetCount(), trace);
    }

    private static GradientRoot flipped(GradientRoot root) {
        return new GradientRoot(
                org.bitwitness.protocol.Sha256.of(flippedAt(root.digest().bytes(), 0)));
    }

    private static byte[] flippedAt(byte[] bytes, int at) {
        byte[] flipped = bytes.clone();
        flipped[at] ^= (byte) 0x80;
        return flipped;
    }

    private static byte[] increased(byte[] json, String key) {
        Json.Obj object;
        try {
            object = StrictJson.object(json, "scalars.json");
        } catch (org.bitwitness.protocol.ProtocolException e) {
            throw new IllegalStateException(e);
        }
        Map<String, Json> members = new LinkedHashMap<>(object.members());
        members.computeIfPresent(key, (any, value) -> new Json.Int(((Json.Int) value).value() + 1));
        return Json.canonicalBytes(new Json.Obj(members));
    }

    private Path fresh() {
        return home.resolve("copy-" + copies++);
    }

    private static RunChecks.Report verifyAlone(Path recording) throws Exception {
        return new RunChecks(Optional.empty(), Optional.empty(), name -> {}).run(recording);
    }

    private RunChecks.Report verifyTrusted(Path recording) throws Exception {
        return verify(recording, run);
    }

    private static RunChecks.Report verify(Path recording, TrainedRun whose) throws Exception {
        TrustPolicy trust = TrustPolicy.load(whose.trust());
        LogReader log = LogReader.open(LogSources.at(whose.log().toString()), trust.witnesses());
        return new RunChecks(Optional.of(trust), Optional.of(log), name -> {}).run(recording);
    }

    private static String messages(RunChecks.Report report) {
        return report.results().stream()
                .flatMap(result -> result.differences().stream())
                .map(Difference::message)
                .collect(Collectors.joining("\n"));
    }

    private static void assertNamed(RunChecks.Report report, String file) {
        assertTrue(messages(report).contains(file), file + " should be named:\n" + messages(report));
    }

    private static void collect(Json.Obj object, List<String> prefix, List<List<String>> fields) {
        object.members().forEach((key, value) -> {
            List<String> path = new ArrayList<>(prefix);
            path.add(key);
            fields.add(path);
            if (value instanceof Json.Obj inner) {
                collect(inner, path, fields);
            }
        });
    }

    /** Without the key, or with the key renamed. */
    private static Json.Obj without(Json.Obj object, List<String> path, String renamed) {
        Map<String, Json> members = new LinkedHashMap<>();
        object.members().forEach((key, old) -> {
            if (!key.equals(path.getFirst())) {
                members.put(key, old);
            } else if (path.size() > 1) {
                members.put(key, without((Json.Obj) old, path.subList(1, path.size()), renamed));
            } else if (!renamed.isEmpty()) {
                members.put(renamed, old);
            }
        });
        return new Json.Obj(members);
    }
}
