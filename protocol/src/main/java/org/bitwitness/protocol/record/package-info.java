/**
 * The records of a run: descriptor, scalars of a state, step record, commitment; each with its canonical bytes.
 *
 * <p>May import: {@code org.bitwitness.protocol}, its {@code bytes}, {@code merkle} and {@code tensor}.
 * <p>Data goes next to: {@code org.bitwitness.protocol.format}, which stores them; every module that hashes them.
 */
@NullMarked
package org.bitwitness.protocol.record;

import org.jspecify.annotations.NullMarked;
