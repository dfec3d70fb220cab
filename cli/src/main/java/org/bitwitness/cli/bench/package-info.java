/**
 * Measures ours against a peer on the same machine, in groups; {@code benchmarks/run} calls it.
 *
 * <p>May import: every module, {@code org.bitwitness.cli.support}, picocli.
 * <p>Data goes next to: standard output or a JSON file of rows.
 */
@NullMarked
package org.bitwitness.cli.bench;

import org.jspecify.annotations.NullMarked;
