/**
 * The operators of a step program as values: which tensors go in, which come out, which constants. The constructors
 * refuse wrong shapes and forbidden aliasing, so that every backend gets arguments that were checked once.
 *
 * <p>May import: {@code kernels} itself and {@code protocol.tensor}. No arithmetic lives here.
 * <p>Data goes next to: a {@link org.bitwitness.kernels.Backend}, which executes one operator at a time.
 *
 * <p>Shapes in the comments: N = sequences · length (flat token index), C = width, V = vocabulary, H = heads,
 * K = key/value heads, D = head dimension, S = sequences, T = length.
 */
@NullMarked
package org.bitwitness.kernels.op;

import org.jspecify.annotations.NullMarked;
