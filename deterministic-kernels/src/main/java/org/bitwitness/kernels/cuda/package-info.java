/**
 * A real GPU, through the driver's API. The only package that may import JCuda, whose native library is loaded when a device is
 * opened and not before.
 *
 * <p>May import: {@code kernels.gpu}, {@code kernels.ptx}.
 * <p>Data goes next to: the GPU backend, through {@code GpuDevice}.
 */
@NullMarked
package org.bitwitness.kernels.cuda;

import org.jspecify.annotations.NullMarked;
