/**
 * Trains with recording; one process per worker.
 *
 * <p>May import: {@code org.bitwitness.cli.support}, picocli and the modules that do the work.
 * <p>Data goes next to: standard output and the exit code, through {@code CommandResult}.
 */
@NullMarked
package org.bitwitness.cli.train;

import org.jspecify.annotations.NullMarked;
