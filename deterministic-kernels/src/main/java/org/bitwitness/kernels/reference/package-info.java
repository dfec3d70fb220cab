/**
 * The profile as plain Java: one scalar operation after the other, one thread, one small file per operator, written from
 * docs/numerics.md alone. The oracle of every other backend, with which it shares no arithmetic.
 *
 * <p>May import: {@code kernels}, {@code kernels.op}, {@code protocol}. Never {@code kernels.vector}.
 * <p>Data goes next to: whoever called the {@link org.bitwitness.kernels.Backend}.
 */
@NullMarked
package org.bitwitness.kernels.reference;

import org.jspecify.annotations.NullMarked;
