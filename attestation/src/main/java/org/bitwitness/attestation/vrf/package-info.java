/**
 * Randomness that its owner cannot choose and everybody can check: RFC 9381 on P-256.
 *
 * <p>May import: {@code protocol}, {@code keys}, Bouncy Castle.
 * <p>Data goes next to: challenges ({@code statement}) and witnesses' beacons ({@code witness}).
 */
@NullMarked
package org.bitwitness.attestation.vrf;

import org.jspecify.annotations.NullMarked;
