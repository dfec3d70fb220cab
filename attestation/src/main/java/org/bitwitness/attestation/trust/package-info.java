/**
 * Whom a verifier trusts: logs, witnesses and how many of them, auditors, trainers.
 *
 * <p>Everything that verifies asks here. A checkpoint becomes a {@link VerifiedCheckpoint} only by passing a
 * {@link WitnessPolicy}, so a proof against a root that no witness signed has no type to stand on.
 *
 * <p>May import: {@code protocol}, {@code note}, {@code keys}, {@code drand} (which chains count).
 * <p>Data goes next to: {@code log} (readers and clients), {@code challenge}, {@code verify}.
 *
 * @see <a href="https://c2sp.org/tlog-policy">c2sp.org/tlog-policy</a>
 */
@NullMarked
package org.bitwitness.attestation.trust;

import org.jspecify.annotations.NullMarked;
