package org.bitwitness.protocol.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.store.StoredFile;
import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.Shape;

/**
 * The checked header of a safetensors file.
 *
 * <pre>u64 little-endian header length ‖ UTF-8 JSON object ‖ data</pre>
 *
 * @param dataStart position in the file where the data begins
 * @param tensors by name, in the order of their data
 */
record SafetensorsHeader(long dataStart, Map<String, TensorInfo> tensors, Map<String, String> metadata) {
    /** The format's own limit. */
    static final long FORMAT_MAX_HEADER_BYTES = 100_000_000;

    /** What is read here; a header of this size names hundreds of thousands of tensors. */
    static final int MAX_HEADER_BYTES = 32 << 20;

    private static final int MAX_TENSORS = 1 << 20;
    private static final int MAX_NAME_CHARS = 4096;

    static SafetensorsHeader read(String what, StoredFile file) throws ProtocolException {
        if (file.size() < Safetensors.LENGTH_BYTES) {
            throw ProtocolException.malformed(
                    "%s: %d bytes cannot be a safetensors file, the header's length alone takes 8", what, file.size());
        }
        ByteBuffer length = ByteBuffer.allocate(Safetensors.LENGTH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.read(0, length);
        long headerBytes = length.getLong(0);
        checkLength(what, headerBytes, file.size());
        byte[] utf8 = new byte[(int) headerBytes];
        file.read(Safetensors.LENGTH_BYTES, ByteBuffer.wrap(utf8));
        long dataStart = Safetensors.LENGTH_BYTES + headerBytes;
        return parse(what, utf8, dataStart, file.size() - dataStart);
    }

    private static void checkLength(String what, long headerBytes, long fileBytes) throws ProtocolException {
        if (headerBytes < 0 || headerBytes > FORMAT_MAX_HEADER_BYTES) {
            throw ProtocolException.overLimit(
                    "%s: a safetensors header has at most %d bytes, this one says %s",
                    what, FORMAT_MAX_HEADER_BYTES, Long.toUnsignedString(headerBytes));
        }
        if (headerBytes > MAX_HEADER_BYTES) {
            throw ProtocolException.overLimit(
                    "%s: headers are read here up to %d bytes, this one says %d", what, MAX_HEADER_BYTES, headerBytes);
        }
        if (headerBytes > fileBytes - Safetensors.LENGTH_BYTES) {
            throw ProtocolException.malformed(
                    "%s: the header says %d bytes, the file has %d after its length",
                    what, headerBytes, fileBytes - Safetensors.LENGTH_BYTES);
        }
    }

    private static SafetensorsHeader parse(String what, byte[] utf8, long dataStart, long dataBytes)
            throws ProtocolException {
        StrictJson json = StrictJson.with(new StrictJson.Limits(MAX_HEADER_BYTES, 8, 1 << 20, 20));
        Json.Obj object = json.readObject(utf8, what + " header");
        List<TensorInfo> tensors = new ArrayList<>();
        Map<String, String> metadata = new LinkedHashMap<>();
        for (Map.Entry<String, Json> member : object.members().entrySet()) {
            if (member.getKey().equals(Safetensors.METADATA)) {
                readMetadata(what, member.getValue(), metadata);
            } else {
                tensors.add(tensor(what, member.getKey(), member.getValue()));
            }
        }
        if (tensors.size() > MAX_TENSORS) {
            throw ProtocolException.overLimit("%s: at most %d tensors, has %d", what, MAX_TENSORS, tensors.size());
        }
        tensors.sort(Comparator.comparingLong(TensorInfo::begin).thenComparingLong(TensorInfo::end));
        checkTiling(what, tensors, dataBytes);
        Map<String, TensorInfo> byName = new LinkedHashMap<>();
        tensors.forEach(tensor -> byName.put(tensor.name(), tensor));
        return new SafetensorsHeader(dataStart, byName, metadata);
    }

    private static void readMetadata(String what, Json value, Map<String, String> into) throws ProtocolException {
        if (!(value instanceof Json.Obj object)) {
            throw ProtocolException.malformed("%s: __metadata__ should be an object, is %s", what, value.typeName());
        }
        for (Map.Entry<String, Json> member : object.members().entrySet()) {
            if (!(member.getValue() instanceof Json.Text text)) {
                throw ProtocolException.malformed(
                        "%s: __metadata__ \"%s\" should be a string, is %s",
                        what, Excerpt.of(member.getKey()), member.getValue().typeName());
            }
            into.put(member.getKey(), text.value());
        }
    }

    private static TensorInfo tensor(String what, String name, Json value) throws ProtocolException {
        if (name.isEmpty() || name.length() > MAX_NAME_CHARS) {
            throw ProtocolException.overLimit("%s: a tensor's name has from 1 to %d characters", what, MAX_NAME_CHARS);
        }
        String place = what + " tensor " + Excerpt.of(name);
        if (!(value instanceof Json.Obj object)) {
            throw ProtocolException.malformed("%s: should be an object, is %s", place, value.typeName());
        }
        JsonFields in = JsonFields.of(place, object);
        String dtype = in.text("dtype");
        List<Long> extents = in.integers("shape", Shape.MAX_DIMENSIONS, 0, Long.MAX_VALUE);
        List<Long> offsets = in.integers("data_offsets", 2, 0, Long.MAX_VALUE);
        in.end();
        if (offsets.size() != 2 || offsets.get(1) < offsets.get(0)) {
            throw ProtocolException.malformed(
                    "%s: data_offsets should be two numbers, begin and end, are %s", place, offsets);
        }
        DType type = DType.ofText(dtype)
                .orElseThrow(() -> ProtocolException.malformed(
                        "%s: unknown dtype \"%s\", known are %s", place, Excerpt.of(dtype), List.of(DType.values())));
        TensorInfo tensor = new TensorInfo(name, type, shape(place, extents), offsets.get(0), offsets.get(1));
        checkSize(place, tensor);
        return tensor;
    }

    private static Shape shape(String place, List<Long> extents) throws ProtocolException {
        try {
            return new Shape(extents);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.OVER_LIMIT, place + ": " + e.getMessage(), e);
        }
    }

    private static void checkSize(String place, TensorInfo tensor) throws ProtocolException {
        long expected;
        try {
            expected = Math.multiplyExact(
                    tensor.shape().elementCount(), (long) tensor.dtype().bytes());
        } catch (ArithmeticException e) {
            throw new ProtocolException(
                    ProtocolException.Kind.OVER_LIMIT,
                    "%s: shape %s of %s has 2^63 bytes or more".formatted(place, tensor.shape(), tensor.dtype()),
                    e);
        }
        if (expected != tensor.byteCount()) {
            throw ProtocolException.malformed(
                    "%s: shape %s of %s takes %d bytes, data_offsets hold %d",
                    place, tensor.shape(), tensor.dtype(), expected, tensor.byteCount());
        }
    }

    /** Tensors, by offset, must lie one after the other from 0 to the end of the file. */
    private static void checkTiling(String what, List<TensorInfo> tensors, long dataBytes) throws ProtocolException {
        long at = 0;
        for (TensorInfo tensor : tensors) {
            if (tensor.begin() != at) {
                throw ProtocolException.malformed(
                        "%s: tensor %s begins at %d, which %s: data up to %d is taken",
                        what,
                        Excerpt.of(tensor.name()),
                        tensor.begin(),
                        tensor.begin() < at ? "overlaps the tensor before it" : "leaves a gap",
                        at);
            }
            at = tensor.end();
        }
        if (at != dataBytes) {
            throw ProtocolException.malformed(
                    "%s: the tensors end at byte %d of the data, the file has %d%s",
                    what, at, dataBytes, at < dataBytes ? ": trailing bytes" : ": it is cut off");
        }
    }
}
