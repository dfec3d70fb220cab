/**
 * Sigstore bundles: one file that carries an envelope and the proof that a log holds it, for verifying offline with our
 * software or other people's.
 *
 * <p>May import: {@code dsse}, {@code keys}, {@code note}, {@code log}, {@code trust}, {@code protocol}.
 * <p>Data goes next to: files on disk, {@code verify}, {@code oms}.
 */
@NullMarked
package org.bitwitness.attestation.bundle;

import org.jspecify.annotations.NullMarked;
