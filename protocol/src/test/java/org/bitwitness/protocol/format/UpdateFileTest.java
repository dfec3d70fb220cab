package org.bitwitness.protocol.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.store.FileContent;
import org.bitwitness.protocol.store.FolderStore;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpdateFileTest {
    private static final StepIndex STEP = new StepIndex(17);
    private static final int WIDE = UpdateFile.BLOCK_VALUES + 1;
    private static final Map<String, Shape> SHAPES =
            Map.of("b", Shape.of(WIDE), "a.z", Shape.of(3, 5), "é", Shape.of(1));

    @TempDir
    Path folder;

    private FolderStore store;
    private byte[] written = {};
    private final float[] wide = new float[WIDE];
    private final float[] odd = {
        0f,
        -0f,
        1f,
        -1f,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        Float.MAX_VALUE,
        Float.MIN_NORMAL,
        1e-8f,
        3f,
        5f,
        7f,
        9f,
        Float.intBitsToFloat(0x007FFFFF),
        1e8f
    };

    @BeforeEach
    void write() throws Exception {
        store = FolderStore.create(folder.resolve("run"));
        Random random = new Random(20261130);
        for (int i = 0; i < WIDE; i++) {
            wide[i] = (float) (random.nextGaussian() * 1e-4);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        UpdateFile.write(
                STEP,
                List.of(
                        F32Tensor.of("é", Shape.of(1), new float[] {-2.5f}),
                        F32Tensor.of("b", Shape.of(WIDE), wide),
                        F32Tensor.of("a.z", Shape.of(3, 5), odd)),
                out);
        written = out.toByteArray();
    }

    @Test
    void givesBackEveryBitAndIsSmallerThanTheValues() throws Exception {
        Map<String, float[]> read = read(written);
        assertArrayEquals(bits(odd), bits(read.getOrDefault("a.z", new float[0])));
        assertArrayEquals(bits(wide), bits(read.getOrDefault("b", new float[0])));
        assertArrayEquals(new float[] {-2.5f}, read.getOrDefault("é", new float[0]));
        double ratio = written.length / (4.0 * (WIDE + 16));
        assertTrue(ratio < 0.86, "ratio " + ratio);
    }

    @Test
    void refusesAHeaderThatIsNotTheModels() {
        assertRefused(patch(0, 'X'), "should begin with BWUPDATE");
        assertRefused(patch(11, 2), "has version 2");
        assertRefused(patch(19, 18), "says step 18");
        assertRefused(patch(27, written[27] + 1), "the model has");
        assertRefused(patch(28, 0x7F), "a block has from 1 to");
        assertRefused(new byte[7], "its header alone 32");
    }

    @Test
    void refusesBytesThatAreCutOffOrLeftOver() {
        for (int bytes : new int[] {32, 33, 36, 37, 1000, written.length - 1}) {
            byte[] cut = ByteBuffer.allocate(bytes).put(written, 0, bytes).array();
            assertThrows(ProtocolException.class, () -> read(cut), "cut to " + bytes);
        }
        byte[] longer = ByteBuffer.allocate(written.length + 1).put(written).array();
        assertRefused(longer, "1 bytes after its last block");
    }

    @Test
    void refusesAPlaneOfAnotherCodecOrLength() {
        assertRefused(patch(32, 2), "cannot have codec 2");
        assertRefused(patch(36, written[36] + 1), "cannot have codec");
    }

    @Test
    void anyFlippedByteIsRefusedOrGivesOtherValues() throws Exception {
        long seed = 5;
        Random random = new Random(seed);
        for (int i = 0; i < 60; i++) {
            int at = 32 + random.nextInt(written.length - 32);
            byte[] flipped = written.clone();
            flipped[at] ^= 0x10;
            try {
                Map<String, float[]> read = read(flipped);
                boolean same = java.util.Arrays.equals(bits(odd), bits(read.getOrDefault("a.z", new float[0])))
                        && java.util.Arrays.equals(bits(wide), bits(read.getOrDefault("b", new float[0])))
                        && read.getOrDefault("é", new float[] {0})[0] == -2.5f;
                // Zstandard has frame bits that mean nothing here; the file's own hash is what holds those.
                assertTrue(!same || at >= 32 + 3 * UpdateFile.BLOCK_VALUES, "byte " + at + ", seed " + seed);
            } catch (ProtocolException e) {
                assertEquals(ProtocolException.Kind.MALFORMED, e.kind());
            }
        }
    }

    private byte[] patch(int at, int value) {
        byte[] copy = written.clone();
        copy[at] = (byte) value;
        return copy;
    }

    private void assertRefused(byte[] bytes, String message) {
        ProtocolException e = assertThrows(ProtocolException.class, () -> read(bytes));
        assertTrue(e.getMessage().contains(message), e.getMessage());
        assertTrue(e.getMessage().contains("updates/000000000017.update"), e.getMessage());
    }

    private Map<String, float[]> read(byte[] bytes) throws ProtocolException {
        store.replace(RecordingPaths.update(17), FileContent.of(bytes));
        assertTrue(Files.exists(store.root().resolve("updates")));
        return UpdateFile.read(store, STEP, SHAPES);
    }

    private static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }
}
