/**
 * What a GPU is to us: memory, modules of PTX, launches, and the ways in which these fail. Two devices implement it: the
 * driver's ({@code kernels.cuda}) and the emulator's ({@code kernels.ptx}); whoever launches kernels cannot tell them apart.
 *
 * <p>May import: {@code protocol} and the JDK.
 * <p>Data goes next to: the GPU backend, which launches kernels over buffers of a device.
 */
@NullMarked
package org.bitwitness.kernels.gpu;

import org.jspecify.annotations.NullMarked;
