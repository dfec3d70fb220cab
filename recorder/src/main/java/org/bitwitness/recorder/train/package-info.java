/**
 * The reference trainer: a coordinator and its workers, processes of their own that exchange gradients over loopback
 * sockets; the same bits for any number of threads, and inside one process or in many.
 *
 * <p>May import: {@code org.bitwitness.recorder}, its {@code wire} and {@code exchange}, {@code protocol}, {@code datasets},
 * {@code kernels}.
 *
 * <p>Data goes next to: the recorder plug-in, which writes the recording.
 */
@NullMarked
package org.bitwitness.recorder.train;

import org.jspecify.annotations.NullMarked;
