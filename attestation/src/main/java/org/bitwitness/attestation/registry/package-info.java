/**
 * Whose signatures count at which place of a log: the keys of a trust folder, and what entries of the log say about
 * them later. Only the order of entries decides, never a clock.
 *
 * <p>May import: {@code protocol}, {@code keys}, {@code statement}, {@code trust}.
 * <p>Data goes next to: {@code challenge} and {@code verify}.
 */
@NullMarked
package org.bitwitness.attestation.registry;

import org.jspecify.annotations.NullMarked;
