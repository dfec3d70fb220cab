/** Tests of step programs. */
@NullMarked
package org.bitwitness.kernels.program;

import org.jspecify.annotations.NullMarked;
