/**
 * Watching a log from outside: everything derived again, compared with what was seen before and with other copies.
 *
 * <p>May import: every package of this module, {@code protocol}.
 * <p>Data goes next to: {@code cli} ({@code monitor}).
 */
@NullMarked
package org.bitwitness.attestation.monitor;

import org.jspecify.annotations.NullMarked;
