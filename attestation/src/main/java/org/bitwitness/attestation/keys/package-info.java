/**
 * P-256 keys that sign statements and prove randomness, and the folders that keys live in.
 *
 * <p>May import: {@code protocol}, Bouncy Castle.
 * <p>Data goes next to: {@code dsse} (signatures), {@code vrf} (proofs), {@code note} (Ed25519 folders).
 */
@NullMarked
package org.bitwitness.attestation.keys;

import org.jspecify.annotations.NullMarked;
