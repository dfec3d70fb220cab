/**
 * Turns a drawn plan into work, spreads it over executors, and collects reports.
 *
 * <p>May import: {@code protocol}, {@code datasets}, {@code deterministic-kernels}, {@code step-replayer},
 * {@code attestation}; Spark only in {@code org.bitwitness.scheduler.spark}.
 * <p>Data goes next to: {@code cli}, which signs verdicts in the auditor's own process.
 */
@NullMarked
package org.bitwitness.scheduler;

import org.jspecify.annotations.NullMarked;
