/**
 * Datasets as the Hugging Face library saves them: Arrow stream files.
 *
 * <p>May import: {@code org.bitwitness.datasets} and its sources, {@code protocol}, Arrow.
 *
 * <p>Data goes next to: {@link org.bitwitness.datasets.DatasetBuilder}.
 */
@NullMarked
package org.bitwitness.datasets.arrow;

import org.jspecify.annotations.NullMarked;
