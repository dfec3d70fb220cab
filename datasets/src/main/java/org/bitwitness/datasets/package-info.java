/**
 * Text and files in, committed shards and the order of their samples out.
 *
 * <p>May import: {@code protocol}; Arrow only in {@code org.bitwitness.datasets.arrow}.
 * <p>Data goes next to: {@code recorder} (training) and {@code step-replayer} (audit).
 */
@NullMarked
package org.bitwitness.datasets;

import org.jspecify.annotations.NullMarked;
