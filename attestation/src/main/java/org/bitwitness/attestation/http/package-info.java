/**
 * HTTP with limits: a small server and a small client for the log and the witnesses.
 *
 * <p>Every body has a most number of bytes, every exchange an end, every server a most number of threads.
 *
 * <p>May import: {@code protocol}, {@code jdk.httpserver}, {@code java.net.http}.
 * <p>Data goes next to: {@code log}, {@code witness}, {@code challenge}.
 */
@NullMarked
package org.bitwitness.attestation.http;

import org.jspecify.annotations.NullMarked;
