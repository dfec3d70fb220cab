/**
 * The numeric profile: tensors, operators and the training step, with one fixed order of operations.
 *
 * <p>May import: {@code protocol}, its own {@code op}, {@code program} and {@code trace}, never a backend by its class; the
 * Vector API only in {@code org.bitwitness.kernels.vector}.
 * <p>Data goes next to: {@code recorder} (training) and {@code step-replayer} (audit).
 */
@NullMarked
package org.bitwitness.kernels;

import org.jspecify.annotations.NullMarked;
