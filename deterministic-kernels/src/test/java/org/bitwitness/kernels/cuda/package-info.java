/** Tests of what a machine without a GPU can show of the driver's device. */
@NullMarked
package org.bitwitness.kernels.cuda;

import org.jspecify.annotations.NullMarked;
