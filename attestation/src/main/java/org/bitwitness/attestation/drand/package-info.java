/**
 * Public randomness of the drand network: which round a commitment gets, and checking a round's signature. Nobody who
 * is asked for a round is believed.
 *
 * <p>May import: {@code protocol}, {@code http}.
 * <p>Data goes next to: {@code challenge}.
 *
 * @see <a href="https://docs.drand.love/docs/specification/">drand</a>
 */
@NullMarked
package org.bitwitness.attestation.drand;

import org.jspecify.annotations.NullMarked;
