/** Tests of the numeric profile: bits against golden files, and backends against each other. */
@NullMarked
package org.bitwitness.kernels;

import org.jspecify.annotations.NullMarked;
