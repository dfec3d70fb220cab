/**
 * Turns a log, a trust folder and the recordings at hand into what the pages show.
 *
 * <p>May import: {@code protocol}, {@code attestation}, {@code portal.view}, {@code PortalException}. No Javalin here.
 * <p>Data goes next to: {@code portal}, which answers requests from it.
 */
@NullMarked
package org.bitwitness.portal.index;

import org.jspecify.annotations.NullMarked;
