/**
 * Replays audit units from the bytes of a recording and finds the first difference.
 *
 * <p>May import: {@code protocol}, {@code datasets}, {@code deterministic-kernels}; never {@code recorder}: an auditor
 * trusts bytes on disk only.
 * <p>Data goes next to: {@code audit-scheduler} and {@code cli} as replay reports.
 */
@NullMarked
package org.bitwitness.replayer;

import org.jspecify.annotations.NullMarked;
