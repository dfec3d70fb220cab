/**
 * Disputes between a trainer and an auditor as people have them: with keys, a folder or a URL, and the referee's clock. The
 * rules are those of {@code replayer.dispute}; here every message is signed, chained and written, and read again.
 *
 * <p>May import: {@code org.bitwitness.cli.support}, picocli, {@code replayer}, {@code attestation}, {@code kernels}, {@code
 * protocol}.
 * <p>Data goes next to: the dispute's folder, standard output and the exit code, through {@code CommandResult}.
 */
@NullMarked
package org.bitwitness.cli.dispute;

import org.jspecify.annotations.NullMarked;
