package org.bitwitness.protocol.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepChain;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.store.FolderStore;
import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.protocol.tensor.TensorDigests.TensorId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds the bytes of version 1 fixed: a recording that was written once, see ORIGIN.md beside it, is read by today's code
 * and gives the values that docs/formats.md prints.
 */
class WorkedExampleTest {
    private static final String GOLDEN = "worked-example.txt";

    @TempDir
    Path folder;

    @Test
    void givesTheGoldenBytes() throws Exception {
        try (var in = WorkedExampleTest.class.getResourceAsStream(GOLDEN)) {
            assertTrue(in != null, "the golden file is a test resource");
            assertEquals(new String(in.readAllBytes(), StandardCharsets.UTF_8), String.join("\n", lines()) + "\n");
        }
    }

    @Test
    void readsTheGoldenRecordingAndWritesItAgain() throws Exception {
        RecordingReader reader = RecordingReader.open(goldenRecording());
        reader.checkSteps();
        for (long t = 0; t < SmallRecording.STEPS; t++) {
            assertEquals(
                    SmallRecording.step(SmallRecording.descriptor(), reader.runId(), t),
                    reader.stepRecord(new StepIndex(t)));
        }
        SmallRecording.write(FolderStore.create(folder.resolve("again")));
        for (var path : reader.files()) {
            // Another version of Arrow may lay out the same columns differently; commitments list those files' hashes.
            if (!path.text().endsWith(".arrow") && !path.topFolder().equals("commitments")) {
                assertEquals(
                        -1,
                        Files.mismatch(goldenRecording().resolve(path.text()), folder.resolve("again/" + path.text())),
                        path.text());
            }
        }
    }

    @Test
    void isPrintedInTheDocumentation() throws Exception {
        String document = Files.readString(repository().resolve("docs/formats.md"));
        for (String line : lines()) {
            assertTrue(document.contains(line), "docs/formats.md should hold the line " + line);
        }
    }

    @Test
    void documentsEveryDomainThatTheCodeHashesUnder() throws Exception {
        String document = Files.readString(repository().resolve("docs/formats.md"));
        var use = java.util.regex.Pattern.compile("CanonicalEncoder\\.of\\(\\s*\"([a-z-]+)\"");
        List<String> undocumented = new ArrayList<>();
        for (String module : List.of(
                "protocol",
                "datasets",
                "deterministic-kernels",
                "attestation",
                "recorder",
                "step-replayer",
                "audit-scheduler",
                "web-portal",
                "cli")) {
            Path sources = repository().resolve(module).resolve("src/main/java");
            try (var files = Files.walk(sources)) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    var domains = use.matcher(Files.readString(file));
                    while (domains.find()) {
                        if (!document.contains("| `" + domains.group(1) + "` |")) {
                            undocumented.add(domains.group(1) + " in " + file.getFileName());
                        }
                    }
                }
            }
        }
        assertEquals(List.of(), undocumented, "domains that docs/formats.md does not list");
    }

    private static Path goldenRecording() throws Exception {
        var manifest = WorkedExampleTest.class.getResource("golden-recording/descriptor.json");
        assertTrue(manifest != null, "the golden recording is a test resource");
        return Path.of(manifest.toURI()).resolveSibling("");
    }

    private List<String> lines() throws Exception {
        Path run = goldenRecording();
        RecordingReader reader = RecordingReader.open(run);
        Descriptor descriptor = reader.descriptor();
        Scalars scalars = SmallRecording.scalars(descriptor, 0);
        F32Tensor weight = SmallRecording.parameters(0).getFirst();
        StepRecord step = reader.stepRecord(new StepIndex(0));
        Commitment open = reader.open();
        StepChain chain = new StepChain(open.runId()).add(step);
        RunId run0 = open.runId();
        var weightRoot = TensorDigests.tensorRoot(weight.data(), 0, weight.length());
        List<String> lines = new ArrayList<>();
        lines.add("layoutDigest       " + descriptor.layout().digest());
        lines.add("scalars            " + hex(scalars.toBytes()));
        lines.add("H(scalars)         " + Hashing.sha256(scalars.toBytes()));
        lines.add("tensorRoot         " + weightRoot);
        lines.add("tensorLeaf         "
                + hex(TensorDigests.tensorLeaf(
                        new TensorId(weight.name(), DType.F32, weight.shape()), 24, weightRoot)));
        try (StateFile state = reader.state(new org.bitwitness.protocol.StateIndex(0))) {
            lines.add("tensorsRoot        " + state.tensorsRoot());
        }
        lines.add("descriptorDigest   " + reader.descriptorDigest());
        lines.add("stateRoot(0)       " + open.stateRoot());
        lines.add("runId              " + run0);
        lines.add("OPEN digest        " + open.digest());
        lines.add("OPEN bytes         " + open.toBytes().length);
        lines.add("NO_DETECTORS       " + StepRecord.NO_DETECTORS);
        lines.add("leaf 0 bytes       " + step.toBytes().length);
        lines.add("leaf 0 hash        " + step.leafHash());
        lines.add("rowsRoot           "
                + step.workers().getFirst().microBatches().getFirst().rowsRoot());
        lines.add("chainHash(0)       " + chain.chainHash());
        lines.add("stepsRoot [0,2)    " + reader.commitments().get(1).stepsRoot());
        lines.add("commitment 1       " + reader.commitments().get(1).digest());
        lines.add("commitment 2       " + reader.last().digest());
        lines.add("steps file         " + Hashing.file(run.resolve("steps/000000000000.arrow")));
        lines.add("traces file        " + Hashing.file(run.resolve("traces/000000000000.arrow")));
        lines.add("model.safetensors  " + Hashing.file(run.resolve("states/000000000000/model.safetensors")));
        lines.add("scalars.json       " + Hashing.file(run.resolve("states/000000000000/scalars.json")));
        assertEquals(Optional.empty(), open.releasedRoot());
        return lines;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(at.resolve("docs")) && at.getParent() != null) {
            at = at.getParent();
        }
        return at;
    }
}
