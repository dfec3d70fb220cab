/**
 * The direct exchange of gradients between workers: every worker owns a share of the segments, receives the others' gradients in
 * it, combines them in the recorded order, and gives the sums to all. The same bits as one process combining everything.
 *
 * <p>May import: {@code org.bitwitness.recorder.wire}, {@code protocol}, {@code kernels}.
 *
 * <p>Data goes next to: the optimizer of every worker; roots and sums of squares to the coordinator.
 */
@NullMarked
package org.bitwitness.recorder.exchange;

import org.jspecify.annotations.NullMarked;
