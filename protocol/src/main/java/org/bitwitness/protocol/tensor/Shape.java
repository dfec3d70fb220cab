package org.bitwitness.protocol.tensor;

import java.util.List;

/**
 * Extents of a tensor, slowest first; elements lie row-major. No extents is a scalar. The product is checked when the
 * shape is made, so {@link #elementCount} never overflows.
 */
public record Shape(List<Long> extents) {
    public static final int MAX_DIMENSIONS = 8;

    public Shape {
        extents = List.copyOf(extents);
        if (extents.size() > MAX_DIMENSIONS) {
            throw new IllegalArgumentException(
                    "a shape has at most %d dimensions, got %d".formatted(MAX_DIMENSIONS, extents.size()));
        }
        product(extents);
    }

    public static Shape of(long... extents) {
        return new Shape(java.util.Arrays.stream(extents).boxed().toList());
    }

    public long elementCount() {
        return product(extents);
    }

    public int dimensions() {
        return extents.size();
    }

    public long extent(int dimension) {
        return extents.get(dimension);
    }

    public long[] toArray() {
        return extents.stream().mapToLong(Long::longValue).toArray();
    }

    /** As safetensors writes it: {@code [257,128]}. */
    @Override
    public String toString() {
        return extents.toString().replace(" ", "");
    }

    private static long product(List<Long> extents) {
        long product = 1;
        boolean empty = false;
        for (long extent : extents) {
            if (extent < 0) {
                throw new IllegalArgumentException("an extent cannot be negative, got " + extents);
            }
            empty |= extent == 0;
            try {
                product = Math.multiplyExact(product, Math.max(extent, 1));
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException("the shape " + extents + " has 2^63 elements or more", e);
            }
        }
        return empty ? 0 : product;
    }
}
