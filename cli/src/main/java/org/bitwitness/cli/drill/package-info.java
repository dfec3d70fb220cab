/**
 * Canary drills: faults that are drawn in secret, committed to, planted in a run, and in the end held against the
 * verdicts of those who audited it.
 *
 * <p>May import: {@code org.bitwitness.cli.support}, {@code org.bitwitness.cli.train}, picocli and the modules that do the
 * work.
 * <p>Data goes next to: the log, and standard output through {@code CommandResult}.
 */
@NullMarked
package org.bitwitness.cli.drill;

import org.jspecify.annotations.NullMarked;
