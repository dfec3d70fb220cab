/**
 * The one command: parses arguments, wires modules, prints results.
 *
 * <p>May import: every module, picocli, Hadoop.
 * <p>Data goes next to: standard output (results), standard error (progress and logs), exit codes.
 */
@NullMarked
package org.bitwitness.cli;

import org.jspecify.annotations.NullMarked;
