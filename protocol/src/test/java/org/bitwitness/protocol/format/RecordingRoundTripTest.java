package org.bitwitness.protocol.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.store.FolderStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingRoundTripTest {
    @TempDir
    Path folder;

    @Test
    void readsBackEveryRecordThatWasWritten() throws ProtocolException {
        SmallRecording.write(FolderStore.create(folder));
        RecordingReader reader = RecordingReader.open(folder);
        Descriptor descriptor = SmallRecording.descriptor();

        assertEquals(descriptor, reader.descriptor());
        assertEquals(SmallRecording.STEPS, reader.stepCount());
        assertEquals(3, reader.commitments().size());
        assertTrue(reader.last().isFinal());
        for (long t = 0; t < SmallRecording.STEPS; t++) {
            StepIndex step = new StepIndex(t);
            assertEquals(SmallRecording.step(descriptor, reader.runId(), t), reader.stepRecord(step));
            for (int w = 0; w < 2; w++) {
                assertEquals(
                        SmallRecording.trace(t).outputs().get(new WorkerId(w)),
                        reader.traceOutputs(step, new WorkerId(w)));
            }
        }
        reader.checkSteps();
    }

    @Test
    void readsBackEveryBundleThatItWritesAndWritesNoLargerOne() throws ProtocolException {
        RecordingWriter writer = SmallRecording.start(FolderStore.create(folder));
        SmallRecording.finish(writer);
        RecordingReader reader = RecordingReader.open(folder);
        byte[] large = new byte[RecordingReader.MAX_BUNDLE_BYTES];
        Commitment last = reader.last();
        FolderStore.open(folder).delete(RecordingPaths.commitmentBundle(last.sequence()));
        writer.writeCommitment(last, large);
        assertArrayEquals(large, reader.commitmentBundle(last.sequence()));
        byte[] tooLarge = new byte[large.length + 1];
        assertThrows(ProtocolException.class, () -> writer.writeCommitment(last, tooLarge));
    }

    @Test
    void readsBackEveryStateWithItsRoot() throws ProtocolException {
        SmallRecording.write(FolderStore.create(folder));
        RecordingReader reader = RecordingReader.open(folder);
        assertEquals(List.of(new StateIndex(0), new StateIndex(2), new StateIndex(4)), reader.stateIndexes());
        assertEquals(Optional.of(new StateIndex(2)), reader.nearestState(new StepIndex(3)));
        for (Commitment commitment : reader.commitments()) {
            try (StateFile state = reader.state(new StateIndex(commitment.endStep()))) {
                assertEquals(
                        commitment.stateRoot(),
                        state.stateRoot(reader.descriptor().profile(), reader.descriptorDigest()));
                assertArrayEquals(
                        SmallRecording.parameters(commitment.endStep())
                                .getFirst()
                                .data(),
                        state.read("a.weight"));
                assertEquals(4, state.tensors().size());
                assertEquals(2, state.parameters().size());
            }
        }
    }

    @Test
    void listsEveryFileInExactlyOneCommitmentButTheCommitmentsThemselves() throws ProtocolException {
        FolderStore store = FolderStore.create(folder);
        SmallRecording.write(store);
        RecordingReader reader = RecordingReader.open(store);
        for (var path : reader.files()) {
            long listed = reader.commitments().stream()
                    .flatMap(commitment -> commitment.newFiles().stream())
                    .filter(file -> file.path().equals(path))
                    .count();
            boolean canBeListed = !path.topFolder().equals("commitments")
                    || (path.text().endsWith(".json") && !path.equals(RecordingPaths.commitmentBundle(2)));
            assertEquals(canBeListed ? 1 : 0, listed, path.text());
        }
        for (Commitment commitment : reader.commitments()) {
            for (var file : commitment.newFiles()) {
                assertEquals(file, store.entry(file.path()));
            }
        }
    }

    @Test
    void writesTheSameBytesEveryTime(@TempDir Path other) throws ProtocolException, IOException {
        SmallRecording.write(FolderStore.create(folder));
        FolderStore twin = FolderStore.create(other);
        SmallRecording.write(twin);
        for (var path : twin.files()) {
            assertEquals(-1, Files.mismatch(folder.resolve(path.text()), other.resolve(path.text())), path.text());
        }
    }

    @Test
    void goesOnAfterTheLastCommitmentToTheSameBytes(@TempDir Path other) throws ProtocolException, IOException {
        FolderStore whole = FolderStore.create(folder);
        SmallRecording.write(whole);
        FolderStore cut = FolderStore.create(other);
        SmallRecording.start(cut);
        Files.writeString(other.resolve("states/stray.json"), "left by a crash");

        RecordingWriter writer = RecordingWriter.resume(cut);
        assertEquals(0, writer.stepCount());
        assertFalse(Files.exists(other.resolve("states/stray.json")));
        SmallRecording.finish(writer);
        for (var path : whole.files()) {
            assertEquals(-1, Files.mismatch(folder.resolve(path.text()), other.resolve(path.text())), path.text());
        }
        assertEquals(whole.files(), cut.files());
    }

    @Test
    void saysThatAFinishedRunCannotBeResumed() throws ProtocolException {
        FolderStore store = FolderStore.create(folder);
        SmallRecording.write(store);
        assertThrows(ProtocolException.class, () -> RecordingWriter.resume(store));
    }

    @Test
    void saysWhenAFolderIsNotARecording() throws ProtocolException {
        FolderStore store = FolderStore.create(folder);
        ProtocolException e = assertThrows(ProtocolException.class, () -> RecordingReader.open(store));
        assertTrue(e.getMessage().contains("is not a recording"), e.getMessage());
        assertFalse(e.blamesTheBytes());
    }
}
