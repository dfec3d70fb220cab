/**
 * How the coordinator of a training run and its workers talk: frames over loopback sockets, with a version, a token and
 * limits. Nothing that arrives decides how much memory is taken; tensors have the sizes that both sides know.
 *
 * <p>May import: the JDK, {@code protocol}.
 *
 * <p>Data goes next to: {@code org.bitwitness.recorder.train}.
 */
@NullMarked
package org.bitwitness.recorder.wire;

import org.jspecify.annotations.NullMarked;
