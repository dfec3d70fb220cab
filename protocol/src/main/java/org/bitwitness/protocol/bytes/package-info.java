/**
 * Canonical bytes: the one spelling in which a record is hashed.
 *
 * <p>May import: {@code org.bitwitness.protocol}.
 * <p>Data goes next to: SHA-256, Merkle leaves, signatures.
 */
@NullMarked
package org.bitwitness.protocol.bytes;

import org.jspecify.annotations.NullMarked;
