/**
 * A store of many recordings: files named by their SHA-256, and for each run a manifest that names its files. Lies in a
 * folder or in any file system that Hadoop knows.
 *
 * <p>May import: {@code org.bitwitness.cli.run.fetch}, {@code org.bitwitness.cli.support}, {@code protocol}, Hadoop.
 * <p>Data goes next to: {@code org.bitwitness.cli.store}, which shows what was done.
 */
@NullMarked
package org.bitwitness.cli.store.objects;

import org.jspecify.annotations.NullMarked;
