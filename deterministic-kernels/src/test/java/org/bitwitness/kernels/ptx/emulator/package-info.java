/** Tests of the emulator: bits against Java's, every fault with an untouched twin, altered PTX that must be noticed. */
@NullMarked
package org.bitwitness.kernels.ptx.emulator;

import org.jspecify.annotations.NullMarked;
