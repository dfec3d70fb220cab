/**
 * Witnesses: servers that cosign a log's checkpoint only if it continues the one they cosigned before, and the client
 * side of them.
 *
 * <p>May import: {@code protocol}, {@code note}, {@code trust}, {@code log}, {@code http}, {@code keys}, {@code vrf}.
 * <p>Data goes next to: cosignatures into published checkpoints; beacon answers into {@code challenge}.
 *
 * @see <a href="https://c2sp.org/tlog-witness">c2sp.org/tlog-witness</a>
 */
@NullMarked
package org.bitwitness.attestation.witness;

import org.jspecify.annotations.NullMarked;
