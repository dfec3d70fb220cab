/**
 * What a tensor is called, how large it is and how it is hashed.
 *
 * <p>May import: {@code org.bitwitness.protocol}, its {@code bytes} and {@code merkle}.
 * <p>Data goes next to: state roots, gradient roots, trace entries.
 */
@NullMarked
package org.bitwitness.protocol.tensor;

import org.jspecify.annotations.NullMarked;
