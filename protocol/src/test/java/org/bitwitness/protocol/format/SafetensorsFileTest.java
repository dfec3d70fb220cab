package org.bitwitness.protocol.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Odd layouts that other readers accept are read exactly; everything else is refused by name, without allocating. */
class SafetensorsFileTest {
    @Test
    void readsDataThatIsNotAligned() throws ProtocolException {
        String header = "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}} ";
        assertEquals(1, header.length() % 2);
        try (SafetensorsFile file = open(withData(header, 1.5f, -0.0f))) {
            assertArrayEquals(new float[] {1.5f, -0.0f}, file.read("x"));
        }
    }

    @Test
    void readsNamesThatAreNotInTheOrderOfTheData() throws ProtocolException {
        String header = "{\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]},"
                + "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
        try (SafetensorsFile file = open(withData(header, 1, 2))) {
            assertArrayEquals(new float[] {1}, file.read("a"));
            assertArrayEquals(new float[] {2}, file.read("b"));
            assertEquals(List.of("a", "b"), List.copyOf(file.tensors().keySet()));
        }
    }

    @Test
    void readsAnEmptyMetadataObjectAndAFullOne() throws ProtocolException {
        String tensor = "\"x\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}";
        try (SafetensorsFile file = open(withData("{\"__metadata__\":{}," + tensor, 7))) {
            assertEquals(Map.of(), file.metadata());
            assertArrayEquals(new float[] {7}, file.read("x"));
        }
        try (SafetensorsFile file = open(withData("{\"__metadata__\":{\"format\":\"pt\"}," + tensor, 7))) {
            assertEquals(Map.of("format", "pt"), file.metadata());
        }
    }

    @Test
    void readsAFileWithoutTensorsAndTensorsWithoutElements() throws ProtocolException {
        try (SafetensorsFile file = open(MemoryFile.safetensors("{}", 0))) {
            assertEquals(Map.of(), file.tensors());
        }
        String header = "{\"x\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[0,0]}}";
        try (SafetensorsFile file = open(MemoryFile.safetensors(header, 0))) {
            assertEquals(0, file.read("x").length);
            assertRefused("empty", () -> file.leaf("x"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "overlaps | {'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'b':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}} | 8",
                "leaves a gap | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4]},'b':{'dtype':'F32','shape':[1],'data_offsets':[8,12]}} | 12",
                "leaves a gap | {'a':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}} | 8",
                "trailing bytes | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}} | 5",
                "cut off | {'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]}} | 7",
                "2^63 elements | {'a':{'dtype':'F32','shape':[1073741824,1073741824,8],'data_offsets':[0,4]}} | 4",
                "2^63 bytes | {'a':{'dtype':'F32','shape':[1152921504606846976,2],'data_offsets':[0,4]}} | 4",
                "takes 4611686018427387904 bytes | {'a':{'dtype':'F32','shape':[1152921504606846976],'data_offsets':[0,4]}} | 4",
                "takes 4 bytes | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,8]}} | 8",
                "unknown dtype | {'a':{'dtype':'F31','shape':[1],'data_offsets':[0,4]}} | 4",
                "data_offsets | {'a':{'dtype':'F32','shape':[1],'data_offsets':[4,0]}} | 4",
                "data_offsets | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0]}} | 4",
                "data_offsets | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4,8]}} | 4",
                "from 0 to | {'a':{'dtype':'F32','shape':[-1],'data_offsets':[0,4]}} | 4",
                "an integer | {'a':{'dtype':'F32','shape':[1.0],'data_offsets':[0,4]}} | 4",
                "Duplicate | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4]},'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}} | 4",
                "unknown key | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4],'stride':[1]}} | 4",
                "is missing | {'a':{'shape':[1],'data_offsets':[0,4]}} | 4",
                "should be a string | {'__metadata__':{'n':1}} | 0",
                "should be an object | {'__metadata__':[]} | 0",
                "should be an object | {'a':[]} | 0",
                "should be an object | [] | 0",
                "line 1 | {'a':} | 0",
                "line 1 | {} x | 0",
                "at most 8 items | {'a':{'dtype':'F32','shape':[1,1,1,1,1,1,1,1,1],'data_offsets':[0,4]}} | 4",
            })
    void refusesAHeaderThatDoesNotDescribeTheFile(String reason, String header, long dataBytes) {
        MemoryFile file = MemoryFile.safetensors(header.replace('\'', '"'), dataBytes);
        assertRefused(reason, () -> SafetensorsFile.open("x.safetensors", file));
        assertTrue(file.isClosed());
    }

    @Test
    void refusesAnImpossibleHeaderLengthWithoutAllocatingIt() {
        long before = allocatedBytes();
        byte[] nothing = new byte[0];
        assertRefused("at most 100000000", () -> open(MemoryFile.withLength(1L << 30, nothing, 1L << 40)));
        assertRefused("at most 100000000", () -> open(MemoryFile.withLength(126_000_000, nothing, 1L << 40)));
        assertRefused("at most 100000000", () -> open(MemoryFile.withLength(-1, nothing, 1L << 40)));
        assertRefused("up to 33554432", () -> open(MemoryFile.withLength(90_000_000, nothing, 1L << 40)));
        assertRefused("the file has 8", () -> open(MemoryFile.withLength(9, new byte[8], 16)));
        assertRefused("takes 8", () -> open(new MemoryFile(new byte[7], 7)));
        long allocated = allocatedBytes() - before;
        assertTrue(allocated < 4 << 20, allocated + " bytes were allocated");
    }

    @Test
    void refusesAHugeTensorOfATinyFileWithoutAllocatingIt() {
        long before = allocatedBytes();
        String header = "{\"a\":{\"dtype\":\"F32\",\"shape\":[268435456],\"data_offsets\":[0,1073741824]}}";
        assertRefused("cut off", () -> open(MemoryFile.safetensors(header, 16)));
        long allocated = allocatedBytes() - before;
        assertTrue(allocated < 4 << 20, allocated + " bytes were allocated");
    }

    @Test
    void namesTheTensorThatIsMissingAndTheNearest() throws ProtocolException {
        String header = "{\"h.0.weight\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
        try (SafetensorsFile file = open(withData(header, 1))) {
            assertRefused("tensor h.0.wieght is missing, the nearest is h.0.weight", () -> file.read("h.0.wieght"));
        }
    }

    @Test
    void refusesToReadAnotherTypeAsFloats() throws ProtocolException {
        String header = "{\"x\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}";
        try (SafetensorsFile file = open(withData(header, 1))) {
            assertRefused("should be F32, is BF16", () -> file.read("x"));
        }
    }

    @Test
    void writesNamesInByteOrderWithAPaddedHeaderAndNoMetadata() throws IOException, ProtocolException {
        // U+FF5E comes before U+10000 in UTF-8 and after it in UTF-16.
        String low = "\uFF5E";
        String high = "\uD800\uDC00";
        byte[] bytes = written(List.of(
                F32Tensor.of(high, Shape.of(1), new float[] {3}),
                F32Tensor.of("h.2.w", Shape.of(1), new float[] {2}),
                F32Tensor.of(low, Shape.of(1), new float[] {4}),
                F32Tensor.of("h.10.w", Shape.of(1), new float[] {1})));
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int headerBytes = (int) in.getLong(0);
        assertEquals(0, headerBytes % 8);
        assertArrayEquals(new float[] {1, 2, 4, 3}, new float[] {
            in.getFloat(8 + headerBytes),
            in.getFloat(12 + headerBytes),
            in.getFloat(16 + headerBytes),
            in.getFloat(20 + headerBytes)
        });
        String header = new String(bytes, 8, headerBytes, StandardCharsets.UTF_8);
        assertTrue(header.startsWith("{\"h.10.w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"), header);
    }

    @Test
    void readsBackTheBitsItWroteAndTheSameLeaf() throws IOException, ProtocolException {
        float[] odd = {0f, -0f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NEGATIVE_INFINITY, 1e-41f};
        F32Tensor tensor = F32Tensor.of("odd", Shape.of(2, 3), odd);
        byte[] bytes = written(List.of(tensor));
        try (SafetensorsFile file = open(new MemoryFile(bytes, bytes.length))) {
            float[] back = file.read("odd");
            for (int i = 0; i < odd.length; i++) {
                assertEquals(Float.floatToRawIntBits(odd[i]), Float.floatToRawIntBits(back[i]));
            }
            assertArrayEquals(tensor.leaf(), file.leaf("odd"));
        }
    }

    @Test
    void writesEveryNaNAsItIsHashed() throws IOException, ProtocolException {
        float[] data = new float[5000];
        data[0] = Float.intBitsToFloat(0xFFC12345);
        data[4999] = Float.intBitsToFloat(0x7F800001);
        F32Tensor tensor = F32Tensor.of("nan", Shape.of(5000), data);
        byte[] bytes = written(List.of(tensor));
        try (SafetensorsFile file = open(new MemoryFile(bytes, bytes.length))) {
            assertEquals(0x7FC00000, Float.floatToRawIntBits(file.read("nan")[0]));
            assertEquals(0x7FC00000, Float.floatToRawIntBits(file.read("nan")[4999]));
            assertArrayEquals(tensor.leaf(), file.leaf("nan"));
        }
        float[] clean = new float[5000];
        clean[0] = Float.NaN;
        clean[4999] = Float.NaN;
        assertEquals(TensorDigests.tensorRoot(clean, 0, 5000), TensorDigests.tensorRoot(data, 0, 5000));
    }

    @Test
    void readsATensorLargerThanItsBuffer() throws IOException, ProtocolException {
        float[] data = new float[200_001];
        for (int i = 0; i < data.length; i++) {
            data[i] = i;
        }
        F32Tensor tensor = F32Tensor.of("big", Shape.of(3, 66_667), data);
        byte[] bytes = written(List.of(F32Tensor.of("a", Shape.of(1), new float[] {9}), tensor));
        try (SafetensorsFile file = open(new MemoryFile(bytes, bytes.length))) {
            assertArrayEquals(data, file.read("big"));
            assertArrayEquals(tensor.leaf(), file.leaf("big"));
        }
    }

    private static SafetensorsFile open(MemoryFile file) throws ProtocolException {
        return SafetensorsFile.open("x.safetensors", file);
    }

    private static byte[] written(List<F32Tensor> tensors) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Safetensors.write(tensors, out);
        return out.toByteArray();
    }

    private static MemoryFile withData(String header, float... data) {
        byte[] utf8 = header.getBytes(StandardCharsets.UTF_8);
        ByteBuffer rest = ByteBuffer.allocate(utf8.length + 4 * data.length).order(ByteOrder.LITTLE_ENDIAN);
        rest.put(utf8);
        for (float value : data) {
            rest.putFloat(value);
        }
        return MemoryFile.withLength(utf8.length, rest.array(), 8 + rest.capacity());
    }

    private interface Call {
        Object run() throws ProtocolException;
    }

    private static void assertRefused(String reason, Call call) {
        ProtocolException e = assertThrows(ProtocolException.class, call::run);
        assertTrue(e.getMessage().contains(reason), e.getMessage());
        assertTrue(e.blamesTheBytes());
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }
}
