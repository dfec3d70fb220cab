/**
 * Documents in, committed shards and the order of their samples out: tokenizers, shard files, the manifest with its
 * root, and the batch order as a pure function of seed, epoch and position.
 *
 * <p>May import: {@code protocol}; Arrow only in {@code org.bitwitness.datasets.arrow}.
 *
 * <p>Data goes next to: {@code recorder} (training) and {@code step-replayer} (audit).
 */
@NullMarked
package org.bitwitness.datasets;

import org.jspecify.annotations.NullMarked;
