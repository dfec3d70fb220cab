/**
 * Where the files of a recording lie: an interface, and a folder on this machine.
 *
 * <p>May import: {@code org.bitwitness.protocol} and its {@code record}, for file entries.
 * <p>Data goes next to: {@code org.bitwitness.protocol.format}, which gives the bytes their meaning.
 */
@NullMarked
package org.bitwitness.protocol.store;

import org.jspecify.annotations.NullMarked;
