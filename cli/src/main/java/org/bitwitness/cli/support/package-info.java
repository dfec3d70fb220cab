/**
 * What every command shares: exit codes, output, progress, messages for failures, options that several have, and how to
 * start another JVM.
 *
 * <p>May import: the JDK, picocli, Jackson; of the modules their checked exceptions, verdicts, backends, edit distances, and the
 * passphrases and ready files of {@code attestation}.
 * <p>Data goes next to: standard output (one result), standard error (progress, logs, messages), the exit code.
 */
@NullMarked
package org.bitwitness.cli.support;

import org.jspecify.annotations.NullMarked;
