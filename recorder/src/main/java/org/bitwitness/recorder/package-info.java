/**
 * The reference distributed trainer and the plug-in that records what it did.
 *
 * <p>May import: {@code protocol}, {@code datasets}, {@code deterministic-kernels}. Signs nothing: commitments go to a
 * sink that {@code cli} wires to {@code attestation}.
 * <p>Data goes next to: a recording on disk.
 */
@NullMarked
package org.bitwitness.recorder;

import org.jspecify.annotations.NullMarked;
