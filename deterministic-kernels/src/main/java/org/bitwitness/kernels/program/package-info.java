/**
 * The training step as data: model configuration, manifest of parameters, state on the host, and the ordered list of
 * operators that a backend executes.
 *
 * <p>May import: {@code kernels}, {@code kernels.op} and {@code protocol}. Nothing here knows files, networks or a
 * particular backend.
 * <p>Data goes next to: {@link org.bitwitness.kernels.StepEngine}, which the trainer and the replayer share.
 */
@NullMarked
package org.bitwitness.kernels.program;

import org.jspecify.annotations.NullMarked;
