/**
 * Pure rules of auditing: which units there are, how a draw follows from randomness, what audits so far cover and prove.
 *
 * <p>May import: the other packages of this module but {@code format} and {@code store}. Knows no clock, file or
 * network.
 * <p>Data goes next to: the audit scheduler, verification, the portal.
 */
@NullMarked
package org.bitwitness.protocol.audit;

import org.jspecify.annotations.NullMarked;
