/**
 * Audit challenges: randomness that nobody chose, the draw of units from it, and the verifier's side of both.
 *
 * <p>A challenge starts from a {@link LoggedCommitment}, which exists only for a commitment that a witnessed checkpoint
 * holds. So nothing can be drawn before the commitment is public.
 *
 * <p>May import: {@code protocol} (with {@code protocol.audit}), {@code statement}, {@code log}, {@code note},
 * {@code trust}, {@code registry}, {@code witness}, {@code vrf}, {@code drand}, {@code keys}, {@code dsse}, {@code bundle}.
 * <p>Data goes next to: {@code audit-scheduler}, which replays the units; {@code verify} and the portal, which count
 * only what {@link ChallengeVerifier} accepts.
 */
@NullMarked
package org.bitwitness.attestation.challenge;

import org.jspecify.annotations.NullMarked;
