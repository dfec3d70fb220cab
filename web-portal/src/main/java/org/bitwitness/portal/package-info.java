/**
 * The public site and HTTP API over a log and its payloads.
 *
 * <p>May import: {@code protocol}, {@code attestation}, Javalin, JDBC, its own {@code view}. No kernels, no replayer, no Spark.
 * <p>Data goes next to: a browser.
 */
@NullMarked
package org.bitwitness.portal;

import org.jspecify.annotations.NullMarked;
