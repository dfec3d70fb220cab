package org.bitwitness.attestation.oms;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/**
 * What one digest of a model signature covers: a whole file, or a piece of one.
 *
 * @param path relative with {@code /}, no {@code .} or {@code ..} parts
 * @param shard the piece; empty for a whole file
 */
record ModelResource(String path, Optional<Shard> shard) implements Comparable<ModelResource> {
    private static final Comparator<ModelResource> ORDER = Comparator.comparing(
                    ModelResource::path, ModelResource::byCodePoints)
            .thenComparingLong(resource -> resource.shard().map(Shard::start).orElse(-1L))
            .thenComparingLong(resource -> resource.shard().map(Shard::end).orElse(-1L));

    /**
     * A piece of a file.
     *
     * @param start first byte
     * @param end behind the last byte
     */
    record Shard(long start, long end) {
        Shard {
            if (start < 0 || end <= start) {
                throw new IllegalArgumentException("a shard has 0 <= start < end, got %d:%d".formatted(start, end));
            }
        }
    }

    ModelResource {
        for (String part : path.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(
                        "expected a relative path with / and no . or .. parts, found \"" + path + "\"");
            }
        }
    }

    static ModelResource file(String path) {
        return new ModelResource(path, Optional.empty());
    }

    static ModelResource shard(String path, long start, long end) {
        return new ModelResource(path, Optional.of(new Shard(start, end)));
    }

    /** Reads {@code path:start:end}; a path may hold colons itself. */
    static ModelResource parseShard(String name) {
        int second = name.lastIndexOf(':');
        int first = name.lastIndexOf(':', second - 1);
        if (first < 0) {
            throw new IllegalArgumentException("expected path:start:end, found \"" + name + "\"");
        }
        ModelResource resource = shard(
                name.substring(0, first),
                Long.parseLong(name.substring(first + 1, second)),
                Long.parseLong(name.substring(second + 1)));
        if (!resource.name().equals(name)) {
            throw new IllegalArgumentException(
                    "expected plain decimal numbers, %s, found \"%s\"".formatted(resource.name(), name));
        }
        return resource;
    }

    /** As signatures write it: {@code model.safetensors} or {@code model.safetensors:0:1000000000}. */
    String name() {
        return shard.map(piece -> "%s:%d:%d".formatted(path, piece.start(), piece.end()))
                .orElse(path);
    }

    /** Compares by code points, as Python's strings do; UTF-16 order differs above U+FFFF. */
    static int byCodePoints(String a, String b) {
        return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }

    @Override
    public int compareTo(ModelResource other) {
        return ORDER.compare(this, other);
    }
}
