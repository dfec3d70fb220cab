/**
 * {@code bitwitness store}: many recordings in one place, every file kept once.
 *
 * <p>May import: {@code org.bitwitness.cli.run}, {@code org.bitwitness.cli.support}, {@code protocol}.
 * <p>Data goes next to: the terminal, and folders that {@code run verify} and {@code replay} read.
 */
@NullMarked
package org.bitwitness.cli.store;

import org.jspecify.annotations.NullMarked;
