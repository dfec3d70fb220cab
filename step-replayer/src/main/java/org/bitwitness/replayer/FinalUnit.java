package org.bitwitness.replayer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.release.ReleasedFiles;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * {@code FINAL}: the released files are the final state, the descriptor's configuration and the pinned tokenizer, byte
 * for byte, and the root over them is the one in the final commitment. What is compared is what this process makes; the
 * folder on disk only says which file was changed.
 */
final class FinalUnit {
    /** The signature over the release signs the root, so it cannot be part of it. */
    private static final String SIGNATURE = "model.sig";

    private final CommittedRun run;
    private final ProofBuilder proof;

    FinalUnit(CommittedRun run, ProofBuilder proof) {
        this.run = run;
        this.proof = proof;
    }

    UnitOutcome replay(LoadedState last) throws StoreDamage {
        Map<String, byte[]> made = make(last.state());
        proof.bytes(new ProofBuilder.Address(run.endStep(), 0, 0, 0), new ArrayList<>(made.values()));
        Sha256 computed = root(made);
        Sha256 expected = run.commitment().releasedRoot().orElseThrow().digest();
        String onDisk = firstDifference(made);
        if (computed.equals(expected)) {
            if (!onDisk.isEmpty()) {
                throw new StoreDamage(
                        "the final commitment commits to the right release, the folder on disk is another: " + onDisk
                                + ": fetch it again");
            }
            return new UnitOutcome.Same(computed);
        }
        Where where = Where.unit();
        String story = "the released model is not the final state"
                + (onDisk.isEmpty() ? "; the folder on disk is, so only the commitment differs" : ": " + onDisk);
        return new UnitOutcome.Differs(
                Difference.withoutArithmetic(where.at(Resolution.UNIT, story), expected, computed));
    }

    /** Every released file, by name. */
    private Map<String, byte[]> make(HostState state) throws StoreDamage {
        Map<String, byte[]> files = new TreeMap<>(Utf8Order.COMPARATOR);
        try {
            files.putAll(ReleasedFiles.of(run.descriptor(), run.dataset().folder()));
        } catch (DatasetException e) {
            throw new StoreDamage(String.valueOf(e.getMessage()), e);
        }
        List<F32Tensor> tensors = new ArrayList<>();
        for (Parameter p : state.manifest().parameters()) {
            tensors.add(F32Tensor.of(p.name(), p.shape(), state.parameter(p.index())));
        }
        ByteArrayOutputStream weights = new ByteArrayOutputStream();
        try {
            Safetensors.write(tensors, weights);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        files.put(ReleasedFiles.WEIGHTS, weights.toByteArray());
        return files;
    }

    /** SHA-256 over the files' raw digests in the order of their names: the root a model signature has. */
    private static Sha256 root(Map<String, byte[]> files) {
        ByteArrayOutputStream digests = new ByteArrayOutputStream();
        files.values().forEach(bytes -> digests.writeBytes(Hashing.sha256(bytes).bytes()));
        return Hashing.sha256(digests.toByteArray());
    }

    /** The first file on disk that is not the one that was made, as words; empty when all are. */
    private String firstDifference(Map<String, byte[]> made) throws StoreDamage {
        Path folder = run.releasedFolder();
        try {
            for (Map.Entry<String, byte[]> file : made.entrySet()) {
                Path path = folder.resolve(file.getKey());
                if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    return "released/" + file.getKey() + " is missing";
                }
                if (Files.size(path) != file.getValue().length) {
                    return "released/%s has %d bytes, must have %d"
                            .formatted(file.getKey(), Files.size(path), file.getValue().length);
                }
                int at = Arrays.mismatch(Files.readAllBytes(path), file.getValue());
                if (at >= 0) {
                    return "released/%s differs from byte %d on".formatted(file.getKey(), at);
                }
            }
            return stranger(folder, made);
        } catch (IOException e) {
            throw new StoreDamage("the released folder cannot be read: " + e, e);
        }
    }

    private static String stranger(Path folder, Map<String, byte[]> made) throws IOException {
        try (Stream<Path> names = Files.list(folder)) {
            return names.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> !made.containsKey(name) && !name.equals(SIGNATURE))
                    .min(Comparator.naturalOrder())
                    .map(name -> "released/" + name + " does not belong there")
                    .orElse("");
        }
    }
}
