package org.bitwitness.cli.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.bitwitness.attestation.oms.ModelSignature;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.RecordingWriter;
import org.bitwitness.protocol.format.StepTrace;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.FileEntry;
import org.bitwitness.protocol.record.OpenExt;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.protocol.store.FileContent;
import org.bitwitness.protocol.store.FolderStore;

/**
 * A recording rewritten by its own trainer: something is changed, and then every file hash, tree root, chain hash and
 * signature is made again, so that only the meaning of the records can give it away.
 */
final class Forgery {
    private UnaryOperator<List<StepRecord>> steps = UnaryOperator.identity();
    private UnaryOperator<DetectorInputs> detectors = UnaryOperator.identity();
    private UnaryOperator<Descriptor> descriptor = UnaryOperator.identity();
    private final Map<String, UnaryOperator<byte[]>> files = new HashMap<>();

    /** Changes the records, or how many there are. */
    Forgery steps(UnaryOperator<List<StepRecord>> change) {
        steps = change;
        return this;
    }

    /** Changes what the run says about itself. */
    Forgery descriptor(UnaryOperator<Descriptor> change) {
        descriptor = change;
        return this;
    }

    /** Changes what every worker shows to detectors, in every step. */
    Forgery detectors(UnaryOperator<DetectorInputs> change) {
        detectors = change;
        return this;
    }

    /** Changes one record. */
    Forgery step(int number, UnaryOperator<StepRecord> change) {
        return steps(records -> {
            List<StepRecord> changed = new ArrayList<>(records);
            changed.set(number, change.apply(records.get(number)));
            return changed;
        });
    }

    /** Changes one worker of one record. */
    Forgery worker(int number, int position, UnaryOperator<WorkerRecord> change) {
        return step(number, record -> {
            List<WorkerRecord> workers = new ArrayList<>(record.workers());
            workers.set(position, change.apply(workers.get(position)));
            return Edit.of(record).workers(workers).build();
        });
    }

    /** Changes a file that is not made of records. */
    Forgery file(String path, UnaryOperator<byte[]> change) {
        files.put(path, change);
        return this;
    }

    /** Writes the forged recording and signs it. */
    void write(TrainedRun run, Path target) throws Exception {
        RecordingReader original = RecordingReader.open(run.folder());
        Descriptor claimed = descriptor.apply(original.descriptor());
        RecordingWriter writer = RecordingWriter.create(FolderStore.create(target), claimed);
        copyFiles(run, writer, original.open());
        OpenExt said = original.open().open().orElseThrow();
        Commitment open = writer.open(new OpenExt(
                DescriptorJson.digest(claimed),
                said.datasetRoot(),
                said.initialState(),
                said.trainerKeyHex(),
                said.policy()));
        writer.writeCommitment(open, run.signedBundle(open));
        List<StepRecord> records = new ArrayList<>();
        for (long t = 0; t < original.stepCount(); t++) {
            records.add(original.stepRecord(new StepIndex(t)));
        }
        List<StepRecord> forged = steps.apply(records);
        long dropped = records.size() - (long) forged.size();
        for (Commitment commitment :
                original.commitments().subList(1, original.commitments().size())) {
            long end = commitment.isFinal() ? commitment.endStep() - dropped : commitment.endStep();
            for (long t = writer.stepCount(); t < end; t++) {
                StepIndex source = forged.get((int) t).step();
                List<DetectorInputs> inputs = original.descriptor().detectors() == DetectorPolicy.NONE
                        ? List.of()
                        : original.detectors(source).stream().map(detectors).toList();
                Edit edit = Edit.of(forged.get((int) t)).run(writer.runId()).step(new StepIndex(t));
                StepRecord record = inputs.isEmpty()
                        ? edit.build()
                        : edit.detectors(DetectorInputs.digest(inputs)).build();
                writer.appendStep(record, Optional.of(trace(original, source, record.step())), inputs);
            }
            copyFiles(run, writer, commitment);
            Optional<ReleasedRoot> released = commitment.isFinal()
                    ? Optional.of(ModelSignature.root(target.resolve(RecordingPaths.RELEASED)))
                    : Optional.empty();
            Commitment made = writer.commit(forged.get((int) end - 1).stateRootAfter(), released);
            writer.writeCommitment(made, run.signedBundle(made));
        }
    }

    private void copyFiles(TrainedRun run, RecordingWriter writer, Commitment commitment) throws Exception {
        for (FileEntry file : commitment.newFiles()) {
            String top = file.path().topFolder();
            if (List.of("dataset", "states", "updates", "released").contains(top)) {
                byte[] bytes =
                        Files.readAllBytes(run.folder().resolve(file.path().text()));
                UnaryOperator<byte[]> change = files.getOrDefault(file.path().text(), UnaryOperator.identity());
                writer.addFile(new RecordingPath(file.path().text()), FileContent.of(change.apply(bytes)));
            }
        }
    }

    private static StepTrace trace(RecordingReader original, StepIndex source, StepIndex step) throws Exception {
        Map<WorkerId, List<List<Sha256>>> outputs = new HashMap<>();
        for (WorkerId worker : original.stepRecord(source).layout().workers()) {
            outputs.put(worker, original.traceOutputs(source, worker));
        }
        return new StepTrace(step, outputs);
    }
}
