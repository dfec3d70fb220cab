/**
 * The recorder plug-in: a trainer tells it what every step read and computed, it writes the recording and hands
 * commitments to a sink. It signs nothing itself.
 *
 * <p>May import: {@code protocol}, {@code datasets}, {@code kernels}.
 *
 * <p>Data goes next to: the files of a recording, which {@code step-replayer} reads; commitments, which {@code cli} signs
 * and logs.
 */
@NullMarked
package org.bitwitness.recorder;

import org.jspecify.annotations.NullMarked;
