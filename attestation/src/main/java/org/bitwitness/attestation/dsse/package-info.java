/**
 * Signed envelopes (DSSE) and the log leaf that stands for one.
 *
 * <p>May import: {@code keys}, {@code protocol}.
 * <p>Data goes next to: {@code log} (leaves), {@code bundle} (files), {@code statement} (verified bodies).
 */
@NullMarked
package org.bitwitness.attestation.dsse;

import org.jspecify.annotations.NullMarked;
