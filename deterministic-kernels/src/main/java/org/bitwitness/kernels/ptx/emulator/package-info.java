/**
 * A GPU in Java: runs audited PTX warp by warp with the bits a real card gives, and stops with the PTX line when a kernel
 * breaks a rule that a real card lets pass in silence.
 *
 * <p>How: a kernel is decoded once into operations over 32 lanes. A register is a column of 32 values in one array of its
 * warp, a predicate is a word of 32 bits, a constant is a column that nobody writes. Lanes that diverge wait for each other at
 * the smallest program counter. Barriers, shuffles and votes know who must arrive.
 *
 * <p>May import: {@code kernels.gpu}, {@code kernels.ptx}, {@code protocol}.
 * <p>Data goes next to: the GPU backend, through {@code GpuDevice}.
 */
@NullMarked
package org.bitwitness.kernels.ptx.emulator;

import org.jspecify.annotations.NullMarked;
