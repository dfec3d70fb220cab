/**
 * Signatures over a whole model folder, in the format of the OpenSSF: {@code model.sig} beside the files it covers.
 *
 * <p>May import: {@code bundle}, {@code statement}, {@code dsse}, {@code keys}, {@code protocol}.
 * <p>Data goes next to: the released folder; the root goes into the final commitment.
 */
@NullMarked
package org.bitwitness.attestation.oms;

import org.jspecify.annotations.NullMarked;
