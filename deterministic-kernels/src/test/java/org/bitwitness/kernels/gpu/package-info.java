/** Tests of the kernels on devices: emulated, compiled for the host, and with faults planted. */
@NullMarked
package org.bitwitness.kernels.gpu;

import org.jspecify.annotations.NullMarked;
