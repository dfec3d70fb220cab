/**
 * Everything about a recording that can be checked without replaying it, one class a subject.
 *
 * <p>May import: {@code protocol}, {@code datasets}, {@code attestation}; of the kernels only programs, traces and the
 * learning rate, never a backend.
 * <p>Data goes next to: {@code org.bitwitness.cli.run}, which prints the report.
 */
@NullMarked
package org.bitwitness.cli.run.check;

import org.jspecify.annotations.NullMarked;
