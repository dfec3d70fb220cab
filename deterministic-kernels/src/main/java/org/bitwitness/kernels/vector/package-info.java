/**
 * The fast CPU backend: every operator of the profile on the JDK's Vector API, written from docs/numerics.md alone.
 *
 * <p>May import: {@code org.bitwitness.kernels} (its interface and records), {@code kernels.op}, never
 * {@code kernels.reference}: the two implementations are each other's check. The only package that may import
 * {@code jdk.incubator.vector}.
 * <p>Data goes next to: {@code kernels.program}, which runs the operators in order.
 */
@NullMarked
package org.bitwitness.kernels.vector;

import org.jspecify.annotations.NullMarked;
