/**
 * Turns a logged commitment into audit work: draws the units, spreads their replay over executors, signs what they found
 * and logs it.
 *
 * <p>May import: {@code protocol}, {@code datasets}, {@code deterministic-kernels}, {@code step-replayer},
 * {@code attestation}; Spark only in {@code org.bitwitness.scheduler.spark}.
 *
 * <p>Data comes from a recording and a log, and goes next to the log, as challenges and verdicts. Keys stay in the
 * auditor's process: what leaves it is text without secrets.
 */
@NullMarked
package org.bitwitness.scheduler;

import org.jspecify.annotations.NullMarked;
