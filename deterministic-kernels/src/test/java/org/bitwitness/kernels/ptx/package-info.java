/** Tests of the PTX parser and auditor: hostile text, and a planted fault for every rule. */
@NullMarked
package org.bitwitness.kernels.ptx;

import org.jspecify.annotations.NullMarked;
