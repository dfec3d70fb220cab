/**
 * Traces: one entry per operator of a worker's step, with what it read and the roots of what it wrote. The plan of a trace
 * follows from the model and the batch shapes alone; the data only adds the roots.
 *
 * <p>May import: {@code kernels}, {@code kernels.op}, {@code kernels.program}, {@code protocol}.
 * <p>Data goes next to: step records (trace root) and trace files of {@code recorder}, first differences of
 * {@code step-replayer}.
 */
@NullMarked
package org.bitwitness.kernels.trace;

import org.jspecify.annotations.NullMarked;
