package org.bitwitness.cli.run.check;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.oms.ModelSignature;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.release.ReleasedFiles;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.format.StateFile;
import org.bitwitness.protocol.format.TensorInfo;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/** The released files are the final state and what the descriptor gives, byte for byte, under the committed root. */
final class ReleasedCheck implements Check {
    private static final int MAX_SMALL_FILE_BYTES = 16 << 20;

    @Override
    public String name() {
        return "released model";
    }

    @Override
    public String file() {
        return RecordingPaths.RELEASED;
    }

    @Override
    public String run(Subject subject, Findings findings)
            throws ProtocolException, DatasetException, AttestationException {
        if (!subject.reader().last().isFinal()) {
            return "the run is not finished: nothing is released yet";
        }
        Map<String, Sha256> expected = new TreeMap<>();
        ReleasedFiles.of(subject.descriptor(), subject.folder().resolve(RecordingPaths.DATASET))
                .forEach((name, bytes) -> expected.put(name, Hashing.sha256(bytes)));
        expected.put(ReleasedFiles.WEIGHTS, weights(subject));
        for (RecordingPath path : subject.reader().files()) {
            String name = path.text().substring(Math.min(path.text().length(), RecordingPaths.RELEASED.length() + 1));
            boolean released = path.topFolder().equals(RecordingPaths.RELEASED);
            if (released && !expected.containsKey(name) && !name.equals(ModelSignature.FILE)) {
                findings.add(Difference.of(path.text(), "", "no such file in a release", "present"));
            }
        }
        for (Map.Entry<String, Sha256> file : expected.entrySet()) {
            RecordingPath path = RecordingPaths.released(file.getKey());
            if (subject.reader().store().exists(path)) {
                Sha256 found = subject.reader().store().entry(path).sha256();
                findings.expect(path.text(), "SHA-256", file.getValue(), found);
            } else {
                findings.add(Difference.of(path.text(), "", "SHA-256 " + file.getValue(), "missing"));
            }
        }
        checkRoot(subject, findings);
        return "%d files are the final state and the descriptor's".formatted(expected.size());
    }

    private static void checkRoot(Subject subject, Findings findings) throws ProtocolException, AttestationException {
        var folder = subject.folder().resolve(RecordingPaths.RELEASED);
        findings.expect(
                RecordingPaths.commitment(subject.reader().last().sequence()).text(),
                "releasedRoot",
                ModelSignature.root(folder),
                subject.reader().last().releasedRoot().orElseThrow());
        RecordingPath signature = RecordingPaths.released(ModelSignature.FILE);
        if (subject.reader().store().exists(signature)) {
            byte[] bytes = subject.reader().store().readAll(signature, MAX_SMALL_FILE_BYTES);
            if (!Arrays.equals(ModelSignature.read(folder).toBytes(), bytes)) {
                findings.add(Difference.refused(signature.text(), "not the one spelling of what it says"));
            }
            ModelSignature.verify(
                    folder,
                    VerifyingKey.ofSpki(
                            subject.reader().open().open().orElseThrow().trainerSpki()));
        }
    }

    /** SHA-256 of the final state's parameters in the one spelling of safetensors. */
    private static Sha256 weights(Subject subject) throws ProtocolException {
        List<F32Tensor> tensors = new ArrayList<>();
        try (StateFile state =
                subject.reader().state(new StateIndex(subject.reader().stepCount()))) {
            for (TensorInfo tensor : state.parameters().values()) {
                tensors.add(F32Tensor.of(tensor.name(), tensor.shape(), state.read(tensor.name())));
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            Safetensors.write(tensors, out);
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory cannot fail", e);
        }
        return Hashing.sha256(out.toByteArray());
    }
}
