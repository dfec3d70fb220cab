/**
 * Counter-based random numbers: the same block for the same counter and key, anywhere.
 *
 * <p>May import: the JDK.
 * <p>Data goes next to: dropout masks, initial weights, data order, the choice of chunks in a replay proof.
 */
@NullMarked
package org.bitwitness.protocol.random;

import org.jspecify.annotations.NullMarked;
