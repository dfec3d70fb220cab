/**
 * Where documents come from: folders of text files, JSONL files, the pinned sources jar of the demo.
 *
 * <p>May import: {@code org.bitwitness.datasets}, {@code protocol}.
 *
 * <p>Data goes next to: {@link org.bitwitness.datasets.DatasetBuilder}.
 */
@NullMarked
package org.bitwitness.datasets.source;

import org.jspecify.annotations.NullMarked;
