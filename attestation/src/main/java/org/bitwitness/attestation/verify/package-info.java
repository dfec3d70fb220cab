/**
 * What a log and a trust folder prove about a run: commitments as a chain, challenges drawn again, verdicts found by
 * reading every entry, coverage, level, and what is not proven.
 *
 * <p>May import: every package of this module, {@code protocol}.
 * <p>Data goes next to: {@code cli} ({@code verify}, {@code audit report}) and {@code web-portal}.
 */
@NullMarked
package org.bitwitness.attestation.verify;

import org.jspecify.annotations.NullMarked;
