/**
 * Checks and shows recordings, without arithmetic.
 *
 * <p>May import: {@code org.bitwitness.cli.support}, its own {@code check} and {@code fetch}, picocli and the modules.
 * <p>Data goes next to: standard output and the exit code, through {@code CommandResult}.
 */
@NullMarked
package org.bitwitness.cli.run;

import org.jspecify.annotations.NullMarked;
