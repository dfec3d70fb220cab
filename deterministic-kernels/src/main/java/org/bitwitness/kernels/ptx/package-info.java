/**
 * PTX as text and as records: the parser, and the auditor that refuses whatever could make one GPU compute other bits than
 * another.
 *
 * <p>May import: {@code kernels.gpu}.
 * <p>Data goes next to: {@code kernels.ptx.emulator}, which runs what was parsed, and {@code kernels.cuda}, which hands the
 * audited text to the driver.
 */
@NullMarked
package org.bitwitness.kernels.ptx;

import org.jspecify.annotations.NullMarked;
