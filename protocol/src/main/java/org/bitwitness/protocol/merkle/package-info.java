/**
 * RFC 9162 Merkle trees over SHA-256: roots, inclusion proofs, consistency proofs.
 *
 * <p>May import: {@code org.bitwitness.protocol}.
 * <p>Data goes next to: tensor roots, step roots, the transparency log.
 */
@NullMarked
package org.bitwitness.protocol.merkle;

import org.jspecify.annotations.NullMarked;
