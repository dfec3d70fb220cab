/**
 * The operators of the profile as launches of CUDA kernels ({@code src/main/cuda}, shipped as PTX) on a
 * {@link org.bitwitness.kernels.gpu.GpuDevice}. Nothing here computes: which kernel, which geometry, which buffers.
 *
 * <p>May import: {@code kernels}, {@code kernels.op}, {@code kernels.gpu}, {@code protocol}; never a device by its class, except
 * the two providers.
 * <p>Data goes next to: whoever called the {@link org.bitwitness.kernels.Backend}.
 */
@NullMarked
package org.bitwitness.kernels.gpu.backend;

import org.jspecify.annotations.NullMarked;
