/**
 * Copies a recording, or what some audit units need of it, from a folder or any Hadoop file system.
 *
 * <p>May import: {@code org.bitwitness.cli.support}, {@code protocol}, {@code datasets}, Hadoop.
 * <p>Data goes next to: a folder that {@code replay} reads.
 */
@NullMarked
package org.bitwitness.cli.run.fetch;

import org.jspecify.annotations.NullMarked;
