/**
 * A dispute over one worker's gradient: trainer and auditor open the hash trees over their operator traces, level by level,
 * until one operator is left whose inputs both sides agree on; that operator is executed and decides. Nothing here signs,
 * reads a clock or knows files: {@code cli.dispute} does.
 *
 * <p>May import: {@code protocol}, {@code deterministic-kernels}.
 * <p>Data goes next to: {@code cli.dispute}, which puts each {@link org.bitwitness.replayer.dispute.Message} into a signed
 * envelope.
 */
@NullMarked
package org.bitwitness.replayer.dispute;

import org.jspecify.annotations.NullMarked;
