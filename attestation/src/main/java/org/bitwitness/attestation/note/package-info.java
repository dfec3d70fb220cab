/**
 * C2SP signed notes: the text form in which logs sign checkpoints and witnesses cosign them.
 *
 * <p>A note is text, a blank line and signature lines. This package reads and writes notes, their keys
 * ({@code name+keyid+base64}) and checkpoints; it decides nothing about who is trusted.
 *
 * <p>May import: {@code protocol}, {@code keys}, Bouncy Castle's Ed25519.
 * <p>Data goes next to: {@code trust}, which judges notes under a policy; {@code log} and {@code witness}, which sign
 * them.
 *
 * @see <a href="https://c2sp.org/signed-note">c2sp.org/signed-note</a>
 */
@NullMarked
package org.bitwitness.attestation.note;

import org.jspecify.annotations.NullMarked;
