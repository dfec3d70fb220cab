package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The weights' file, made piece by piece, is the one that the recorder writes at once. */
class WeightsFileTest {
    @TempDir
    private static Path temp;

    @Test
    void anyPieceIsThatOfTheWholeFile() throws Exception {
        Path folder = Files.createTempDirectory(temp, "run").resolve("run");
        TestTrainer.train(folder, TestTrainer.Shape.SMALL, Lie.NONE);
        try (CommittedRun run = CommittedRun.open(folder, Optional.empty());
                Storage storage = Storage.inMemory()) {
            HostState state =
                    run.checkpointAtOrBefore(new StateIndex(0), storage).state();
            state.parameter(0)[1] = Float.intBitsToFloat(0x7fc00001);
            byte[] whole = written(state);
            WeightsFile file = new WeightsFile(state);
            assertEquals(whole.length, file.size());
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < 500; i++) {
                int from = random.nextInt(whole.length);
                int length = random.nextInt(Math.min(whole.length - from, 5000) + 1);
                assertArrayEquals(
                        Arrays.copyOfRange(whole, from, from + length),
                        file.bytes(from, length),
                        () -> "seed 1: %d bytes from %d on".formatted(length, from));
            }
            assertArrayEquals(whole, file.bytes(0, whole.length));
        }
    }

    private static byte[] written(HostState state) throws Exception {
        List<F32Tensor> tensors = new ArrayList<>();
        for (Parameter p : state.manifest().parameters()) {
            tensors.add(F32Tensor.of(p.name(), p.shape(), state.parameter(p.index())));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Safetensors.write(tensors, out);
        return out.toByteArray();
    }
}
