/**
 * What is signed: in-toto statements, their subjects, and our predicates as records with one strict JSON form each.
 *
 * <p>May import: {@code dsse}, {@code keys}, {@code vrf}, {@code protocol}.
 * <p>Data goes next to: {@code log} and {@code bundle} (signed), {@code verify} and the portal (read).
 */
@NullMarked
package org.bitwitness.attestation.statement;

import org.jspecify.annotations.NullMarked;
