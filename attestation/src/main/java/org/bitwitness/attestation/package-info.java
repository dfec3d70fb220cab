/**
 * Keys and signed statements, the append-only log with its proofs, witnesses and randomness.
 *
 * <p>May import: {@code protocol}, Bouncy Castle, Jackson.
 * <p>Data goes next to: {@code audit-scheduler}, {@code web-portal} and {@code cli}; files of a log.
 */
@NullMarked
package org.bitwitness.attestation;

import org.jspecify.annotations.NullMarked;
