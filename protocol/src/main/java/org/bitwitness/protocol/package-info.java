/**
 * The records, words and bytes that every other module shares: what a recording is and how it is hashed.
 *
 * <p>May import: the JDK and Jackson; Arrow only in {@code org.bitwitness.protocol.format}. Imports no other module.
 * <p>Data goes next to: every module; files of a recording.
 */
@NullMarked
package org.bitwitness.protocol;

import org.jspecify.annotations.NullMarked;
